// This module replaces the part of Apple's CallKit for incoming calls, so that an app's code compiles unmodified on
// Linux and runs under ExtensionHarness; the package omits it on Apple platforms. Left out on purpose: outgoing calls,
// transactions, the call controller and observer, directories, and every action but answering and ending. A test that
// needs them should not compile. Source: https://developer.apple.com/documentation/callkit and the framework's headers.
@_exported public import Foundation
