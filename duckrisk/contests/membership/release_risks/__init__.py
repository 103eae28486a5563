"""Singling out, linkability and inference, compared with a naive attacker and a control set."""
