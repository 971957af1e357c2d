package io.uniserve.protocol.transaction.manager;

import io.uniserve.error.ErrorCode;
import io.uniserve.model.registry.TransactionLogState.Decision;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Committed updates of a table of durability REMOTE that are not acknowledged yet. They wait until every participant has acknowledged the
 * decision, which it does once durable storage has it. So a cluster that is rebuilt from durable storage alone has every acknowledged
 * update.
 */
final class RemoteDurabilityQueue {
    private final DecisionSender decisionSender;
    private final TreeMap<Long, Version> versions = new TreeMap<>();

    private static final class Version {
        final TreeSet<Integer> unackedActors = new TreeSet<>();
        final List<WaitingUpdate> waitingUpdates = new ArrayList<>();
    }

    private record WaitingUpdate(QueuedUpdate update, boolean duplicate) {}

    RemoteDurabilityQueue(DecisionSender decisionSender) {
        this.decisionSender = decisionSender;
        decisionSender.setListener(this::onAck);
    }

    /**
     * Acknowledges the update when all participants of its version have acknowledged.
     *
     * @param duplicate true if an earlier attempt of the request was committed. Its manager may be gone, so the decision is sent again
     */
    void awaitAcks(QueuedUpdate update, Decision decision, boolean duplicate) {
        long number = decision.version();
        Version version = new Version();
        decision.unackedParticipants().stream()
                .filter(actor -> !decisionSender.hasAck(number, actor))
                .forEach(version.unackedActors::add);
        if (version.unackedActors.isEmpty()) {
            update.completeCommitted(number, duplicate);
            return;
        }
        Version known = versions.putIfAbsent(number, version);
        (known == null ? version : known).waitingUpdates.add(new WaitingUpdate(update, duplicate));
        if (known == null && duplicate) {
            decisionSender.send(number, true, List.copyOf(version.unackedActors));
        }
    }

    private void onAck(long number, int actor) {
        Version version = versions.get(number);
        if (version != null && version.unackedActors.remove(actor) && version.unackedActors.isEmpty()) {
            versions.remove(number);
            version.waitingUpdates.forEach(held -> held.update().completeCommitted(number, held.duplicate()));
        }
    }

    int size() {
        return versions.values().stream()
                .mapToInt(version -> version.waitingUpdates.size())
                .sum();
    }

    /** Bytes of the rows of these updates, which stay in memory for as long. */
    long bytes() {
        return versions.values().stream()
                .flatMap(version -> version.waitingUpdates.stream())
                .mapToLong(held -> held.update().memoryBytes)
                .sum();
    }

    boolean isEmpty() {
        return versions.isEmpty();
    }

    void expire(long now) {
        for (Version version : versions.values()) {
            version.waitingUpdates.removeIf(held -> {
                boolean over = now - held.update().deadlineNanos >= 0;
                if (over) {
                    held.update()
                            .fail(
                                    ErrorCode.DEADLINE_EXCEEDED,
                                    "committed, but not yet in durable storage for all actors: retry the update with the same id");
                }
                return over;
            });
        }
        versions.values().removeIf(version -> version.waitingUpdates.isEmpty());
    }

    void close(ErrorCode code, String message) {
        List<Version> all = List.copyOf(versions.values());
        versions.clear();
        all.forEach(
                version -> version.waitingUpdates.forEach(held -> held.update().fail(code, message)));
    }
}
