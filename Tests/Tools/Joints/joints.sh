# The joints that scripts/joints breaks. Each lies between two parts, whose own tests need not notice.
#
#   joint NAME 'its two parts: what is broken' FILE 'text in it' 'text instead' 'beginning of a test of EndToEndTests'...
#
# The text is in the file exactly once, and its replacement compiles without a warning.

shown='a message is shown, its receipt makes it delivered'
locked='what came while the phone was locked'
resent='a message for a prekey that is gone'
rings='a call wakes the app'
woken='a silent push wakes the app, which sends'

# Receipts, from the extension to the relay's disk.

joint receipt-path 'RelayClient and the relay: receipts go to another path' \
    Sources/RelayClient/RelayClient.swift \
    '"/v1/receipts"' '"/v1/receipt"' "$shown"

joint receipt-member 'RelayClient and the relay: the capability has another name' \
    Sources/RelayClient/RelayClient.swift \
    'body.member("capability"' 'body.member("receipt"' "$shown"

joint receipt-hash 'the sender and the relay: each hashes a capability in its own way' \
    Sources/PushService/Fields/ReceiptHash.swift \
    'bytes = capability.digest' 'bytes = SHA256.hash(capability.rawRepresentation)' "$shown"

joint extension-relay 'the shipped extension and its core: no relay is set' \
    Sources/NotificationServiceExtension/NotificationService.swift \
    'settings.relay = try? RelayClient(NotificationService.relay)' '' "$shown"

joint extension-receipts 'the shipped extension and its core: receipts are off' \
    Sources/NotificationServiceExtension/NotificationService.swift \
    'settings.keepsReceipts = true' 'settings.keepsReceipts = false' "$shown"

joint reportSender-activity 'the sender of reports and iOS: no time is asked for, and nothing is sent after the answer' \
    Sources/NotificationCore/Receipts/ReportSender.swift \
    'return ExpiringActivity { [weak self] in self?.stop() }' 'return nil' "$shown"

joint receipt-fallback 'the configuration and the queue: seconds of a fallback are taken for milliseconds' \
    Sources/PushService/Notifications/NotificationDraft+Sealed.swift \
    '.seconds($0.afterSeconds)' '.milliseconds($0.afterSeconds)' 'a receipt in time keeps the fallback back'

# The documented app.

joint app-epoch 'the relay and the app: the answer to a registration has the epoch of another bundle' \
    Sources/PushService/Devices/DeviceHandler.swift \
    'writer.member("epoch", upload.bundleEpoch)' 'writer.member("epoch", upload.bundleEpoch + 1)' "$shown"

joint app-contacts 'the app and its extension: the app sets no contacts' \
    Examples/ChatApp/ChatApp/ChatDevice.swift \
    'try device.setContacts(contacts)' 'try device.setContacts(ContactList())' 'what is under way while keys rotate'

joint app-acknowledges 'the app and its extension: the relay has the newest bundle, and the app does not say so' \
    Examples/ChatApp/ChatApp/ChatDevice.swift \
    'try device.acknowledged(registration, answer: answer)' '_ = answer' "$resent"

joint app-reports 'the app and the relay: the app sends no reports' \
    Examples/ChatApp/ChatApp/ChatDevice.swift \
    'try await device.report(to: RelayClient(ChatDevice.relay))' '' "$locked"

joint app-receipts 'the app and its device: receipts are off' \
    Examples/ChatApp/ChatApp/ChatDevice.swift \
    'settings.keepsReceipts = true' 'settings.keepsReceipts = false' "$locked"

joint locked-spool 'the extension and the app: what comes while the phone is locked is not kept' \
    Sources/NotificationCore/SharedContainer+Keeping.swift \
    'kind.keeping == .message ? push.spooled : nil' \
    'nil' "$locked"

joint replaced-message 'the extension and the screen: what is replaced stays' \
    Sources/NotificationServiceExtension/NotificationService.swift \
    'content.removeReplaced()' '' 'a message can be replaced and removed'

joint attachment-path 'the shipped extension and the host of attachments: files are fetched from another path alone' \
    Sources/NotificationServiceExtension/NotificationService.swift \
    'pathPrefix: "/v1/blobs/"' 'pathPrefix: "/v1/files/"' 'a picture goes sealed through a host of attachments'

# A message that must be sealed again.

joint resend-member 'RelayClient and the relay: the prekey id has another name' \
    Sources/RelayClient/RelayClient.swift \
    'body.member("prekey-id"' 'body.member("prekey"' "$resent"

joint resend-detail 'the relay and the back end: the event does not say which prekey is gone' \
    Sources/PushService/Receipts/ReceiptHandler.swift \
    'detail: item.prekeyID ?? []' 'detail: []' "$resent"

joint trace-name 'the relay and the extension: the trace has another name in the payload' \
    Sources/PushService/Fields/SealedField.swift \
    '#","trace":""#' '#","Trace":""#' "$resent"

# The other kinds of push.

joint web-push-name 'the relay and the extension: a record of Web Push has another name in the payload' \
    Sources/PushService/Fields/SealedField.swift \
    '#","webpush":""#' '#","web-push":""#' 'a Web Push record is shown'

joint silent-type 'the relay and the phone: a silent push goes out as an alert' \
    Sources/PushService/API/SAPProperties.swift \
    'contentAvailable && isQuiet' 'contentAvailable && !isQuiet' "$woken"

joint silent-wake 'the phone and its app: a silent push does not make the app run' \
    Sources/sealedpush/Commands/DeviceCommand.swift \
    'if let app { try log.print(try await app.run()) }' '' "$woken"

# Calls.

joint call-type 'the relay and Apple: a call goes out as an alert' \
    Sources/PushService/Rules/NotificationClass.swift \
    'case .call: .voip' 'case .call: .alert' "$rings"

joint call-length 'the sender and the app: a call has the length of another message' \
    Sources/NotificationCore/Calls/CallOpener.swift \
    'opensWebPush: false, pushClass: .voip' 'opensWebPush: false, pushClass: .alert' "$rings"

joint call-delivery 'iOS and the phone: a call goes to the extension, and not to the app' \
    Sources/sealedpush/Commands/DeviceCommand.swift \
    'case .voip:' 'case .voip where app == nil:' "$rings"

joint call-receipt 'the app and its calls: receipts are off' \
    Sources/sealedpush/Phone/PhoneCalls.swift \
    'keepsReceipts: true' 'keepsReceipts: false' "$rings"

joint call-token 'the app and the relay: the token for calls has another name' \
    Sources/RelayClient/DeviceRegistration.swift \
    'writer.member("voip-token"' 'writer.member("voip"' "$rings"

# Devices and senders.

joint gone-device 'Apple and the registry: the time of a 410 is taken for seconds, so the device stays' \
    Sources/PushService/Delivery/ClientReport.swift \
    'UInt64(max(0, $0))' 'UInt64(max(0, $0)) / 1_000' 'after its app is removed'

joint rolled-back 'the sender and its pins: a bundle is compared with nothing' \
    Sources/Sealing/Recipient.swift \
    'signed.checked(against: pin, now: now)' 'signed.checked(against: nil, now: now)' \
    'a relay that hands out an older bundle'
