"""The sealed message, version 1, in Python: written from docs/protocol.md alone.

Read the modules in the order of the specification:

    encoding        sections 0, 1   LP, base64url, sizes, how anything is refused
    json_strict     section 6       the JSON reader
    keys            section 2       Ed25519 acceptance, prekey fingerprints
    bundle          sections 3, 16  key bundles and the sender's pins
    envelope        section 4       header, info, HPKE
    frame           section 5       the frame and its signature
    attachment      section 6       pointers to files, URLs, lengths
    body            section 6       the members of a message
    seal            sections 5 - 7  what a sender makes
    device          sections 8, 9   what a device makes of a push, step by step
    replay          section 10      the replay window, in memory
    order           section 11      the order of changes
    rights          section 12      what a contact may do
    safety_number   section 17
    web_push        section 18
    attachment_file section 21      attachments as they are stored

It is for tests and for reading: it keeps its state in memory and does not erase keys from it.
"""
