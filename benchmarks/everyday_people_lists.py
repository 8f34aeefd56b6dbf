"""What `everyday_people.py` draws from: offices, departments, skills, courses, projects, devices."""

from __future__ import annotations

PAY = {3: 31000, 4: 38000, 5: 46000, 6: 56000, 7: 68000, 8: 84000, 9: 108000, 10: 165000}
OFFICES = """
Berlin HQ|Berlin|Germany|Torstrasse 118|10119|95|2009-03-01|2028-02-29|41500|de_DE|38
London Office|London|United Kingdom|22 Leonard Street|EC2A 4QT|48|2013-09-15|2026-09-14|36200|en_GB|20
Lisbon Office|Lisbon|Portugal|Rua do Alecrim 40|1200-018|40|2018-05-02|2027-04-30|14800|pt_PT|16
Krakow Office|Krakow|Poland|ul. Pawia 9|31-154|44|2016-01-11|2026-12-31|12900|pl_PL|15
Paris Office|Paris|France|14 rue du Sentier|75002|18|2021-10-01|2025-09-30|15600|fr_FR|6
Munich Office|Munich|Germany|Sendlinger Strasse 7|80331|16|2019-06-03|2025-05-31|11300|de_DE|5
"""
DEPARTMENTS = """
Executive Office|EXE|CC-1000|900|2|Chief Executive Officer 10, Executive Assistant 5
Engineering|ENG|CC-4100|6400|50|Head of Engineering 9, Engineering Manager 8, Software Engineer 6, \
Software Engineer 6, Senior Software Engineer 7, QA Engineer 5, DevOps Engineer 6
Product Management|PRD|CC-4200|1300|11|Head of Product 9, Senior Product Manager 8, Product Manager 7, Product Owner 6
Design|DSG|CC-4300|760|9|Head of Design 9, Lead Designer 8, UX Designer 6, Visual Designer 5
Data & Analytics|DAT|CC-4400|1850|15|Head of Data 9, Lead Data Scientist 8, Data Scientist 7, \
Data Engineer 6, Data Analyst 5
IT Operations|ITO|CC-4500|1700|13|Head of IT 9, IT Team Lead 8, System Administrator 6, Helpdesk Technician 4
Sales|SAL|CC-5100|3100|26|Head of Sales 9, Sales Manager 8, Account Executive 6, Sales Development Rep 4
Marketing|MKT|CC-5200|2250|14|Head of Marketing 9, Marketing Manager 8, Content Manager 5, Campaign Specialist 5
Customer Support|CSU|CC-5300|1450|20|Head of Support 9, Support Team Lead 8, Support Agent 4, Senior Support Agent 5
Finance|FIN|CC-2100|980|11|Chief Financial Officer 10, Finance Manager 8, Controller 6, \
Accountant 5, Payroll Specialist 5
Human Resources|HRD|CC-2200|720|9|Head of HR 9, HR Manager 8, HR Business Partner 6, Recruiter 5
Legal & Compliance|LEG|CC-2300|640|5|General Counsel 9, Legal Counsel 7, Compliance Officer 6, Paralegal 4
"""
SKILLS = """
programming|Python, Java, TypeScript, Go, SQL, React
infrastructure|Kubernetes, AWS, Terraform, Linux, Active Directory, Network Security
data|Machine Learning, Power BI, Data Modelling, Statistics
design|Figma, Prototyping, User Research, Adobe Illustrator
business|Negotiation, Cold Calling, Copywriting, SEO, Salesforce, Bookkeeping, IFRS, Payroll, Employment Law, Recruiting
soft|Project Management, Coaching, Public Speaking, Conflict Resolution
"""
TASTES = {
    "ENG": "programming infrastructure soft", "PRD": "business design soft", "DSG": "design soft",
    "DAT": "data programming", "ITO": "infrastructure programming", "SAL": "business soft",
    "MKT": "business design", "CSU": "soft business", "FIN": "business data", "HRD": "business soft",
    "LEG": "business soft", "EXE": "soft business",
}  # fmt: skip
COURSES = """
GDPR Basics|in-house|3|true|online|
Information Security Awareness|KnowBe4|2|true|online|Network Security
Fire Safety|TUV Rheinland|4|true|classroom|
First Aid at Work|Red Cross|16|false|classroom|
Leadership Essentials|Haufe Akademie|24|false|classroom|Coaching
Difficult Conversations|Haufe Akademie|8|false|classroom|Conflict Resolution
Negotiation Masterclass|Schranner|16|false|classroom|Negotiation
Presenting with Impact|in-house|8|false|classroom|Public Speaking
PRINCE2 Foundation|Axelos|24|false|classroom|Project Management
Scrum Master Certification|Scrum.org|16|false|online|Project Management
AWS Cloud Practitioner|Amazon|20|false|online|AWS
Kubernetes Workshop|Linux Foundation|24|false|classroom|Kubernetes
Python for Analysts|DataCamp|30|false|online|Python
SQL Fundamentals|DataCamp|12|false|online|SQL
Power BI Dashboards|Microsoft|14|false|online|Power BI
Excel for Professionals|LinkedIn Learning|6|false|online|
Salesforce Administration|Trailhead|20|false|online|Salesforce
Employment Law Update|Haufe Akademie|7|false|classroom|Employment Law
Inclusive Hiring|in-house|3|false|online|Recruiting
Time Management|LinkedIn Learning|2|false|online|
"""
PROJECTS = """
Billing Engine Rewrite|ENG|active|2024-02-05|2025-06-30|920|Java, SQL
Mobile App Relaunch|ENG|active|2024-05-13|2025-03-31|640|TypeScript, React
Single Sign-On Rollout|ITO|completed|2023-09-04|2024-04-26|130|Active Directory, Network Security
Cloud Migration|ITO|active|2023-11-01|2025-12-31|1100|AWS, Terraform, Kubernetes
Data Warehouse Rebuild|DAT|active|2024-03-18|2025-02-28|480|SQL, Data Modelling
Churn Prediction|DAT|completed|2023-06-12|2024-01-31|150|Machine Learning, Python
Website Redesign|MKT|completed|2023-10-02|2024-05-17|210|Figma, SEO
Brand Refresh|MKT|on_hold|2024-07-01|2025-01-31|175|Adobe Illustrator, Copywriting
CRM Consolidation|SAL|active|2024-04-15|2025-04-30|260|Salesforce
Partner Portal|PRD|active|2024-08-19|2025-09-30|390|TypeScript, User Research
Pricing Study|PRD|completed|2024-01-15|2024-06-28|70|User Research
Payroll Migration|FIN|active|2024-06-03|2025-01-31|185|Payroll, Project Management
IFRS 16 Implementation|FIN|completed|2023-04-03|2023-12-15|95|IFRS, Bookkeeping
GDPR Audit|LEG|completed|2024-02-12|2024-07-12|60|Network Security
Employer Branding Campaign|HRD|active|2024-09-02|2025-05-30|80|Recruiting, Copywriting
Performance Review Revamp|HRD|on_hold|2024-03-04|2025-02-14|45|Coaching
Helpdesk Chatbot|CSU|active|2024-10-07|2025-07-31|220|Python, Machine Learning
Support Knowledge Base|CSU|completed|2023-08-21|2024-03-22|55|Copywriting
Lisbon Office Expansion|FIN|planned|2025-02-03|2025-10-31|310|Project Management
Design System|DSG|active|2024-01-22|2025-03-14|140|Figma, React
Accessibility Review|DSG|planned|2025-01-20|2025-06-13|50|User Research
Fraud Detection|DAT|planned|2025-03-03|2025-12-19|340|Machine Learning, Statistics
Laptop Refresh 2024|ITO|completed|2024-01-08|2024-09-27|280|Project Management
Sales Playbook|SAL|on_hold|2024-05-06|2024-12-20|40|Negotiation, Cold Calling
"""
LEAVE = """
Annual leave|AL|true
Sick leave|SL|true
Parental leave|PL|false
Unpaid leave|UL|false
Study leave|ST|true
Special leave|SP|true
"""
DEVICES = """
Laptop|LT|ThinkPad T14 Gen 4:1350, MacBook Pro 14:2290, Dell Latitude 5440:1180, HP EliteBook 840:1260
Mobile phone|MP|iPhone 14:810, Samsung Galaxy S23:720, Fairphone 5:650
Monitor|MO|Dell U2723QE:540, LG 27UP850:410
Headset|HS|Jabra Evolve2 65:190, Poly Voyager 4320:150
Tablet|TB|iPad Air:680
"""
LANGUAGES = "English German French Portuguese Polish Spanish Italian Dutch Turkish Ukrainian".split()
NATIVE = {"de_DE": "German", "en_GB": "English", "pt_PT": "Portuguese", "pl_PL": "Polish", "fr_FR": "French"}
