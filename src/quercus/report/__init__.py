"""The report: one offline HTML file in which a model can be walked through, pruned, read and asked."""

from quercus.report.evidence import collect_evidence
from quercus.report.inline import Report
from quercus.report.page import report, report_html, write_report

__all__ = ["Report", "collect_evidence", "report", "report_html", "write_report"]
