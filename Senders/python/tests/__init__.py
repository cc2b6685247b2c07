"""Tests of the package: docs/protocol.md, docs/service.md."""
