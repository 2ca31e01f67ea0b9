"""Files of a finished run that every layer names: its result, and the verdicts that say which result they are about."""

RESULT, VERDICT = "result.json", "verdict.json"
