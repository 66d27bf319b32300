"""What a run record means: from its numbers to findings. Analysis never asks which engine made a record."""

from howdah.analysis.analyse import analyse
from howdah.analysis.evidence import Analysis, Evidence

__all__ = ["Analysis", "Evidence", "analyse"]
