"""Singling out, linkability and inference, beside a naive attacker and a control set."""
