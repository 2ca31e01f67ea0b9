"""The PDF: its signatures, and what may stand behind them."""
