"""What `everyday_college.py` draws from: terms, courses, programmes, buildings, fees, clubs, books."""

from __future__ import annotations

from datetime import date

TERMS = {
    "A22": ("Autumn 2022", date(2022, 9, 12), date(2022, 12, 16)),
    "S23": ("Spring 2023", date(2023, 1, 23), date(2023, 5, 26)),
    "A23": ("Autumn 2023", date(2023, 9, 11), date(2023, 12, 15)),
    "S24": ("Spring 2024", date(2024, 1, 22), date(2024, 5, 24)),
    "A24": ("Autumn 2024", date(2024, 9, 9), date(2024, 12, 13)),
}
DEPARTMENTS = """
BUS Business and Accounting 412000 | CSI Computing 538500 | LAN Languages 296000 | HLT Health and Social Care 471250
ART Art and Design 188000 | ENG Engineering 602000 | HUM Humanities 164500
"""
COURSES = """
BUS Bookkeeping, Financial Accounting, Business Law, Marketing Basics, Payroll, Project Management, Taxation
BUS Human Resources, Spreadsheets for Business
CSI Introduction to Programming, Databases, Web Design, Networking, Data Structures, Cyber Security
CSI Machine Learning, Operating Systems, Mobile Apps
LAN Spanish for Beginners, Spanish Intermediate, French for Beginners, French Intermediate, German for Beginners
LAN Italian for Beginners, British Sign Language, Academic English
HLT Anatomy and Physiology, First Aid, Child Care, Nutrition, Mental Health Awareness, Care of the Elderly
HLT Medical Terminology
ART Life Drawing, Photography, Pottery, Graphic Design, Interior Design, Watercolour, Fashion and Textiles
ENG Technical Drawing, Electrical Installation, Welding, Statics, Thermodynamics, Computer Aided Design, Plumbing
HUM Modern History, Creative Writing, Psychology, Sociology, Philosophy, Local History, Film Studies
"""
PREREQUISITES = """
Financial Accounting < Bookkeeping | Taxation < Financial Accounting | Payroll < Bookkeeping
Databases < Introduction to Programming | Data Structures < Introduction to Programming
Machine Learning < Data Structures | Machine Learning < Databases | Mobile Apps < Introduction to Programming
Mobile Apps < Web Design | Cyber Security < Networking | Operating Systems < Data Structures
Spanish Intermediate < Spanish for Beginners | French Intermediate < French for Beginners
Care of the Elderly < First Aid | Nutrition < Anatomy and Physiology | Medical Terminology < Anatomy and Physiology
Interior Design < Technical Drawing | Graphic Design < Life Drawing | Watercolour < Life Drawing
Thermodynamics < Statics | Computer Aided Design < Technical Drawing | Film Studies < Modern History
"""
PROGRAMMES = """
BUS Diploma in Accounting 4 24 2450 | BUS Certificate in Business Administration 3 12 1600
CSI Foundation Degree in Computing 5 24 3900 | CSI Certificate in Web Development 3 9 1450
LAN Diploma in Modern Languages 4 18 1950 | HLT Diploma in Health and Social Care 4 24 2200
ART Certificate in Visual Arts 3 12 1750 | ENG Higher Certificate in Engineering 5 24 3600
HUM Access to Humanities 3 12 1200
"""
BUILDINGS = """
Main Hall 1911 4 N | Turing Building 1998 5 Y | Riverside Annexe 1974 2 N | Workshop Block 1963 1 Y
Rosalind Franklin Centre 2016 3 Y
"""
FEES = """
Registration REG 45 | Exam Entry EXM 60 | Exam Resit RES 75 | Materials ART 85 | Lab Use LAB 110
Late Payment LAT 25 | Parking Permit PKG 54 | Replacement ID Card IDC 12
"""
CLUBS = """
Chess Club 1987 Tue 10 | Drama Society 1979 Thu 18 | Film Club 2004 Fri 12 | Robotics Club 2015 Wed 25
Choir 1968 Mon 15 | Hiking Club 1992 Sun 20 | Debating Society 1983 Wed 8 | Photography Club 2001 Tue 22
Football Club 1971 Sat 30 | Gardening Club 2011 Sat 6 | International Society 1996 Fri 5 | Student Council 1965 Mon 0
"""
BOOKS = """
Pride and Prejudice/Jane Austen/1813; Emma/Jane Austen/1815; Persuasion/Jane Austen/1817
Great Expectations/Charles Dickens/1861; Hard Times/Charles Dickens/1854; Middlemarch/George Eliot/1871
Silas Marner/George Eliot/1861; Jane Eyre/Charlotte Brontë/1847; Wuthering Heights/Emily Brontë/1847
Frankenstein/Mary Shelley/1818; Dracula/Bram Stoker/1897; The Time Machine/H. G. Wells/1895
Nineteen Eighty-Four/George Orwell/1949; Animal Farm/George Orwell/1945; Brave New World/Aldous Huxley/1932
Mrs Dalloway/Virginia Woolf/1925; A Room of One's Own/Virginia Woolf/1929; Rebecca/Daphne du Maurier/1938
Lord of the Flies/William Golding/1954; Things Fall Apart/Chinua Achebe/1958; Beloved/Toni Morrison/1987
The Remains of the Day/Kazuo Ishiguro/1989; Never Let Me Go/Kazuo Ishiguro/2005; White Teeth/Zadie Smith/2000
On the Origin of Species/Charles Darwin/1859; The Wealth of Nations/Adam Smith/1776; On Liberty/John Stuart Mill/1859
The Problems of Philosophy/Bertrand Russell/1912; A History of Western Philosophy/Bertrand Russell/1945
Meditations/Marcus Aurelius/1862; The Prince/Niccolò Machiavelli/1908; Ways of Seeing/John Berger/1972
The Story of Art/Ernst Gombrich/1950; The Elements of Style/William Strunk/1918; On Photography/Susan Sontag/1977
The Making of the English Working Class/E. P. Thompson/1963; The Age of Revolution/Eric Hobsbawm/1962
The Age of Extremes/Eric Hobsbawm/1994; A Brief History of Time/Stephen Hawking/1988; Cosmos/Carl Sagan/1980
The Selfish Gene/Richard Dawkins/1976; Silent Spring/Rachel Carson/1962; Thinking, Fast and Slow/Daniel Kahneman/2011
The Man Who Mistook His Wife for a Hat/Oliver Sacks/1985; Awakenings/Oliver Sacks/1973; Code/Charles Petzold/1999
Structure and Interpretation of Computer Programs/Harold Abelson/1985; The Mythical Man-Month/Frederick Brooks/1975
The C Programming Language/Brian Kernighan/1978; The Practice of Programming/Brian Kernighan/1999
Introduction to Algorithms/Thomas Cormen/1990; Computer Networks/Andrew Tanenbaum/1981
Modern Operating Systems/Andrew Tanenbaum/1992; Design Patterns/Erich Gamma/1994; Clean Code/Robert Martin/2008
The Pragmatic Programmer/Andrew Hunt/1999; The Design of Everyday Things/Don Norman/1988
Don't Make Me Think/Steve Krug/2000; Gray's Anatomy/Henry Gray/1858; Structures/J. E. Gordon/1978
The New Science of Strong Materials/J. E. Gordon/1968; Zen and the Art of Motorcycle Maintenance/Robert Pirsig/1974
"""
PRIMERS = ("A Primer of {}", "{}: The Essentials", "Workbook for {}")
GRADES = ((70, "A"), (60, "B"), (50, "C"), (40, "D"), (0, "F"))
TOWNS = 9
