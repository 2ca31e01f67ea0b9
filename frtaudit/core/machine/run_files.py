"""Files of a finished run that every layer names: its result, verdicts, tables, lists, and the statement over all."""

RESULT, VERDICT, STATEMENT = "result.json", "verdict.json", "statement.dsse.json"
TABLES, LISTS = "tables", "lists"  # folders: Parquet for other programs; what analyses made for people
TABLE_NAMES = ("pairs", "replicates", "samples", "scores", "systems", "tail")
CLASS = "class_"  # in the table of samples before the name of a schema: the class of a sample's subject
STATEMENT_TYPE = "https://in-toto.io/Statement/v1"
