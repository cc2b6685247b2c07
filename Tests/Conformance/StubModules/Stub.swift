/// Type of a stranger.
public struct Stub {}
