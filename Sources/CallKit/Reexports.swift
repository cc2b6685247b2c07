// Replaces the part of Apple's CallKit for incoming calls, so that an app's code compiles unmodified on Linux and runs
// under ExtensionHarness; the package omits it on Apple platforms. Left out on purpose, so that a test that needs them
// does not compile: outgoing calls, transactions, the call controller and observer, directories, and every action but
// answering and ending. Source: https://developer.apple.com/documentation/callkit and the framework's headers.
@_exported public import Foundation
