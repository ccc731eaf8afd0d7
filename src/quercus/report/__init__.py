"""The report: one offline HTML file in which a model can be walked through, pruned, read and asked."""

from quercus.report.evidence import collect_evidence
from quercus.report.page import report_html, write_report

__all__ = ["collect_evidence", "report_html", "write_report"]
