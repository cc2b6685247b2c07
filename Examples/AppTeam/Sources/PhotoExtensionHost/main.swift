import ExtensionHarness
import PhotoServer

@testable import PhotoExtension

PhotoServer.start
ExtensionHost.run { NotificationService() }
