# SealedPush example key: published, protects nothing.
-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgHa0nOPueNNhDMfwR
4n7oFNwJmX8f8Zb1uIxGIbLZmNqhRANCAASimngKVDGlPKKTjo8VJowIztbzLCG5
7K4P7cR8215UusTv3wl2IA51HUm3bjiOJQivWXc4OjjlzMz+dAIXygik
-----END PRIVATE KEY-----
