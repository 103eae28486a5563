"""What is decided: policies, the verdict, the checklist, gates and baselines."""
