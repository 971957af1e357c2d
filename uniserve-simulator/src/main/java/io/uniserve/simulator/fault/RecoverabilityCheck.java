package io.uniserve.simulator.fault;

import io.uniserve.model.ActorState;
import io.uniserve.model.ReplicaKey;
import io.uniserve.model.ServerId;
import io.uniserve.model.registry.BackupRecord;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Decision whether an actor has lost both its last intact replica and its backup. Then every replica that counts is damaged, and so is an
 * object that a restoration must read. An intact replica that may come back must be used, and objects that no restoration reads do not
 * matter.
 */
final class RecoverabilityCheck {
    private static final Pattern RUN = Pattern.compile("log/(\\d{20})-(\\d{20})-(\\d{20})");

    private RecoverabilityCheck() {}

    /** Run of log entries in durable storage, with the epoch of the primary that stored it. */
    private record Run(long first, long last, long epoch) {
        /** True if a restoration uses the other run instead: it prefers the newest primary's runs, and the longest of these. */
        private boolean passedOver(Run other) {
            return !equals(other) && other.first <= first && other.last >= last && other.epoch >= epoch;
        }
    }

    /**
     * True if no intact replica is left. Until a takeover has started, the replicas from before it count.
     *
     * @param victim the server with the damaged replica of the actor
     */
    static boolean areCopiesLost(ActorState actor, ServerId victim) {
        List<ServerId> holders = actor.previousIsr().isr().isEmpty()
                ? actor.isr()
                : actor.previousIsr().isr();
        return holders.equals(List.of(victim));
    }

    /**
     * True if the actor cannot be restored from durable storage.
     *
     * @param record the backup record of the registry; null if there is none
     * @param keys keys of all objects in storage
     * @param rotten true for an object that is damaged for good
     */
    static boolean isBackupLost(
            ReplicaKey key, @Nullable BackupRecord record, Collection<String> keys, Predicate<String> rotten) {
        String part = "/" + key.tableId() + "/" + key.actor() + "/";
        List<String> own = keys.stream()
                .filter(name -> name.contains(part))
                .map(name -> name.substring(name.indexOf(part) + part.length()))
                .toList();
        List<Run> runs = own.stream()
                .map(RecoverabilityCheck::run)
                .flatMap(Optional::stream)
                .toList();
        boolean checkpoint = record != null && !record.checkpoint().isEmpty();
        long covered = record == null || !checkpoint ? 0 : record.checkpointIndex();
        return keys.stream()
                .filter(name -> name.contains(part) && rotten.test(name))
                .map(name -> name.substring(name.indexOf(part) + part.length()))
                .anyMatch(name -> run(name)
                        .map(run -> run.last() > covered && runs.stream().noneMatch(run::passedOver))
                        .orElse(checkpoint && name.startsWith("checkpoint/")));
    }

    private static Optional<Run> run(String name) {
        Matcher run = RUN.matcher(name);
        return run.matches()
                ? Optional.of(new Run(
                        Long.parseLong(run.group(1)), Long.parseLong(run.group(2)), Long.parseLong(run.group(3))))
                : Optional.empty();
    }
}
