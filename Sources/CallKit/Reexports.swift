// This module stands in for the part of Apple's CallKit that incoming calls need, so that what an app does with a VoIP push
// compiles unmodified on Linux and runs under ExtensionHarness; the package does not contain it on Apple platforms. Left out on
// purpose: outgoing calls, transactions, the call controller and observer, directories, and every action but answering
// and ending (a test that needs them should say so by not compiling).
// Source: https://developer.apple.com/documentation/callkit and the framework's headers.
@_exported public import Foundation
