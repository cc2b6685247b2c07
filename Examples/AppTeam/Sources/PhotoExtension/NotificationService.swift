//
//  NotificationService.swift
//  PhotoExtension
//

import UserNotifications

class NotificationService: UNNotificationServiceExtension {
  var contentHandler: ((UNNotificationContent) -> Void)?
  var bestAttemptContent: UNMutableNotificationContent?

  override func didReceive(_ request: UNNotificationRequest, withContentHandler contentHandler: @escaping (UNNotificationContent) -> Void) {
    self.contentHandler = contentHandler
    bestAttemptContent = (request.content.mutableCopy() as? UNMutableNotificationContent)

    guard let bestAttemptContent = bestAttemptContent else {
      contentHandler(request.content)
      return
    }

    // 1. The text travels encoded.
    if let secret = bestAttemptContent.userInfo["secret"] as? String, let text = decode(secret) {
      bestAttemptContent.body = text
    }

    // 2. The photo is on our server.
    guard let address = bestAttemptContent.userInfo["photo"] as? String, let url = URL(string: address) else {
      contentHandler(bestAttemptContent)
      return
    }
    URLSession.shared.dataTask(with: url) { data, _, _ in
      if let data = data, let attachment = self.attachment(data, named: url.lastPathComponent) {
        bestAttemptContent.attachments = [attachment]
      }
      contentHandler(bestAttemptContent)
    }.resume()
  }

  override func serviceExtensionTimeWillExpire() {
    // Called just before the extension will be terminated by the system.
    if let contentHandler = contentHandler, let bestAttemptContent = bestAttemptContent {
      contentHandler(bestAttemptContent)
    }
  }

  private func decode(_ secret: String) -> String? {
    guard let data = Data(base64Encoded: secret) else { return nil }
    return String(data: data, encoding: .utf8)
  }

  private func attachment(_ data: Data, named name: String) -> UNNotificationAttachment? {
    let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString)-\(name)")
    do {
      try data.write(to: file)
      return try UNNotificationAttachment(identifier: name, url: file)
    } catch {
      return nil
    }
  }
}
