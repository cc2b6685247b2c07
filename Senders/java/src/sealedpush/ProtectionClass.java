package sealedpush;

/** When a device can read a prekey's private half: a constant of an app. The ordinal is one below the protocol's byte. */
public enum ProtectionClass {
    /** Class 1: from the first unlock after a restart on. */
    AFTER_FIRST_UNLOCK,
    /** Class 2: only while the device is unlocked. */
    UNLOCKED
}
