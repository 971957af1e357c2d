package io.uniserve.protocol.tx;

import io.uniserve.error.ErrorCode;
import io.uniserve.model.TransactionLogState.Decision;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Committed updates of a table of durability REMOTE that are not acknowledged yet. They wait until every participant has acknowledged the
 * decision, which it does once durable storage has it. So a cluster that is rebuilt from durable storage alone has every acknowledged
 * update.
 */
final class AwaitingRemoteDurability {
    private final DecisionSender decisionSender;
    private final TreeMap<Long, Version> versions = new TreeMap<>();

    private static final class Version {
        final TreeSet<Integer> left = new TreeSet<>();
        final List<Held> held = new ArrayList<>();
    }

    private record Held(QueuedUpdate update, boolean duplicate) {}

    AwaitingRemoteDurability(DecisionSender decisionSender) {
        this.decisionSender = decisionSender;
        decisionSender.listener(this::acked);
    }

    /**
     * Acknowledges the update when all participants of its version have acknowledged.
     *
     * @param duplicate true if an earlier attempt of the request was committed. Its manager may be gone, so the decision is sent again
     */
    void await(QueuedUpdate update, Decision decision, boolean duplicate) {
        long number = decision.version();
        Version version = new Version();
        decision.unacked().stream()
                .filter(actor -> !decisionSender.hasAck(number, actor))
                .forEach(version.left::add);
        if (version.left.isEmpty()) {
            update.committed(number, duplicate);
            return;
        }
        Version known = versions.putIfAbsent(number, version);
        (known == null ? version : known).held.add(new Held(update, duplicate));
        if (known == null && duplicate) {
            decisionSender.tell(number, true, List.copyOf(version.left));
        }
    }

    private void acked(long number, int actor) {
        Version version = versions.get(number);
        if (version != null && version.left.remove(actor) && version.left.isEmpty()) {
            versions.remove(number);
            version.held.forEach(held -> held.update().committed(number, held.duplicate()));
        }
    }

    int size() {
        return versions.values().stream()
                .mapToInt(version -> version.held.size())
                .sum();
    }

    /** Bytes of the rows of these updates, which stay in memory for as long. */
    long bytes() {
        return versions.values().stream()
                .flatMap(version -> version.held.stream())
                .mapToLong(held -> held.update().held)
                .sum();
    }

    boolean isEmpty() {
        return versions.isEmpty();
    }

    void expire(long now) {
        for (Version version : versions.values()) {
            version.held.removeIf(held -> {
                boolean over = now - held.update().deadlineNanos >= 0;
                if (over) {
                    held.update()
                            .failed(
                                    ErrorCode.DEADLINE_EXCEEDED,
                                    "committed, but not yet in durable storage for all actors: retry the update with the same id");
                }
                return over;
            });
        }
        versions.values().removeIf(version -> version.held.isEmpty());
    }

    void close(ErrorCode code, String message) {
        List<Version> all = List.copyOf(versions.values());
        versions.clear();
        all.forEach(version -> version.held.forEach(held -> held.update().failed(code, message)));
    }
}
