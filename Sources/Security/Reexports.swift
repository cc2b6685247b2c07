// As Apple's exports Core Foundation.
@_exported public import AppleFoundation
