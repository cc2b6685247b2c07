// Part of Apple's Foundation, Core Foundation and Dispatch that Linux's lack. UserNotifications and Security export it.
// Left out: `NSPredicate(format:)`, which needs key-value coding.
@_exported public import Foundation
@_exported public import FoundationNetworking
