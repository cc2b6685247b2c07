export { Announcement } from './lib/announcement.js';
export { sealAttachment, uploadAttachment } from './lib/attachment.js';
export { attachmentPointer } from './lib/attachment-pointer.js';
export { BundleCache } from './lib/bundle-cache.js';
export {
  AnnouncementError, AttachmentError, BundleError, KeyError, PinError, RelayError, SealedPushError, SealingError,
} from './lib/errors.js';
export { IdentityKey, SenderIdentity, SenderKey } from './lib/keys.js';
export { randomID } from './lib/message.js';
export { FilePins, MemoryPins, resetSuites } from './lib/pins.js';
export { Recipient } from './lib/recipient.js';
export { RelayClient } from './lib/relay.js';
export { compareSafetyCode, safetyCode, safetyNumber } from './lib/safety.js';
export { PreparedMessage, seal } from './lib/sealing.js';
