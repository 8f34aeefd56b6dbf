"""Streaming reader of RDF: N-Triples, N-Quads, Turtle, TriG, N3, JSON-LD and RDF/XML.

Statements are mapped as follows:

- A label (``rdfs:label``, ``skos:prefLabel``, ``schema:name``, ``foaf:name``, and the titles of Dublin Core and names
  of vCard and DOAP) is the label of its subject. A label in the preferred language wins over one in a regional variant
  of it, that over one without a language, and that over any other; ties go to the first. All other labels are aliases.
  The default label of an IRI is its local name.
- ``skos:altLabel`` is an alias; ``schema:description``, ``rdfs:comment``, ``skos:definition`` and
  ``dcterms:description`` are descriptions, of which the best is kept by the same rule.
- ``rdf:type`` is a type, not a triple; the name of the type is the local name of the class. A class without a name is
  the tail of an ordinary triple.
- A literal in any other statement becomes an entity: its N-Triples form is the key, its value the label, its datatype
  the type.
- A relation takes the label that is stated about its IRI, before or after its first use; otherwise its local name.
- A statement whose object is a list becomes one about each member, with its position; see `lists`. A node without a
  name is named after what it says, see `blank_names`, and what all members of a class have is a triple of the class,
  see `restrictions`.
- A statement about a statement (RDF 1.2) is a property of the triple; see `annotations`.
- Graph names, and statements inside formulas of N3, are left out and counted. Anonymous blank nodes are numbered in
  file order.

`reading` reads files, `statements` maps statements, `annotations` collects statements about statements, and `mending`
repairs the lines of dumps (``ReadOptions.lenient``).
"""
