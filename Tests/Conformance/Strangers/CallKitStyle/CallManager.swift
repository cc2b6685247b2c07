//
//  CallManager.swift
//
//  The habits of apps that take calls: everything in one class, words out of the payload, completion at the end.
//

import CallKit
import PushKit

final class CallManager: NSObject {
    private let pushRegistry = PKPushRegistry(queue: nil)
    private lazy var provider: CXProvider = {
        let configuration = CXProviderConfiguration()
        configuration.supportsVideo = true
        configuration.maximumCallsPerCallGroup = 1
        configuration.supportedHandleTypes = [.generic, .phoneNumber]
        let provider = CXProvider(configuration: configuration)
        provider.setDelegate(self, queue: nil)
        return provider
    }()

    private(set) var token: String?
    private(set) var log: [String] = []

    override init() {
        super.init()
        pushRegistry.delegate = self
        pushRegistry.desiredPushTypes = [PKPushType.voIP]
    }
}

extension CallManager: PKPushRegistryDelegate {
    func pushRegistry(_ registry: PKPushRegistry, didUpdate credentials: PKPushCredentials, for type: PKPushType) {
        token = credentials.token.map { String(format: "%02x", $0) }.joined()
    }

    func pushRegistry(
        _ registry: PKPushRegistry,
        didReceiveIncomingPushWith payload: PKPushPayload,
        for type: PKPushType,
        completion: @escaping () -> Void
    ) {
        // The mistake of many: a push that is no call of this app's is passed over.
        guard type == .voIP, let text = payload.dictionaryPayload["uuid"] as? String, let uuid = UUID(uuidString: text)
        else {
            return completion()
        }
        let update = CXCallUpdate()
        update.remoteHandle = CXHandle(type: .phoneNumber, value: payload.dictionaryPayload["from"] as? String ?? "")
        update.localizedCallerName = payload.dictionaryPayload["name"] as? String
        update.hasVideo = payload.dictionaryPayload["video"] as? Bool ?? false
        provider.reportNewIncomingCall(with: uuid, update: update) { error in
            switch error {
            case CXErrorCodeIncomingCallError.callUUIDAlreadyExists?: self.log.append("again")
            case let error?: self.log.append("\((error as NSError).code)")
            case nil: self.log.append("ringing")
            }
            completion()
        }
    }
}

extension CallManager: CXProviderDelegate {
    func providerDidReset(_ provider: CXProvider) {
        log.removeAll()
    }

    func provider(_ provider: CXProvider, perform action: CXAnswerCallAction) {
        log.append("answered")
        action.fulfill()
    }

    func provider(_ provider: CXProvider, perform action: CXEndCallAction) {
        log.append("ended")
        action.fulfill()
    }
}
