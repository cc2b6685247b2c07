import CallKit
import Envelope
import ExtensionHarness
import Foundation
import Intents
import Keys
import NotificationCore
import Opening
import PushKit
import RelayClient
import Sealing
import Security
import UserNotifications
import os

// A developer's own file beside all copied ones: it imports everything, and each of these names means one type.
enum AppCode {
    typealias Names = (
        AccountName, AppDevice, CallOpener, Contact, ContactList, Device, DisplayPolicy, ExtensionCore, Logger, Message,
        MutedThread, NotificationContent, NotificationPipeline, NotificationService, PostedNotifications, PreviewLevel,
        RelayClient, ShownNotification, SimulatedPush, UNNotificationContent, VoIPPhone
    )

    static func device() -> Device { Device { NotificationService() } }
}
