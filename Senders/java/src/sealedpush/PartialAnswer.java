package sealedpush;

import java.util.List;

/**
 * Answer to a partial submission. Each recipient is in one of the lists, which are in the recipients' order.
 *
 * @param accepted notifications that are on the relay's disk
 * @param rejected recipients that were left out
 */
public record PartialAnswer(List<RelayClient.Accepted> accepted, List<Rejected> rejected) {
    /**
     * Recipient that was left out.
     *
     * @param index its place in the submission, from 0
     * @param device its id at the relay
     * @param problem what a submission to this recipient alone would get; its detail says what to do
     */
    public record Rejected(int index, String device, RelayException.Problem problem) {}

    /** True if each device is in one of the lists, once and in order. */
    boolean isOf(List<String> devices) {
        int acceptedCount = 0;
        int rejectedCount = 0;
        for (int i = 0; i < devices.size(); i++) {
            String named;
            if (rejectedCount < rejected.size() && rejected.get(rejectedCount).index == i) {
                named = rejected.get(rejectedCount++).device;
            } else if (acceptedCount < accepted.size()) {
                named = accepted.get(acceptedCount++).device();
            } else {
                return false;
            }
            if (!named.equals(devices.get(i))) return false;
        }
        return acceptedCount == accepted.size() && rejectedCount == rejected.size();
    }
}
