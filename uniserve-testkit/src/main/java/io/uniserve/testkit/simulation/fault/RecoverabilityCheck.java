package io.uniserve.testkit.simulation.fault;

import io.uniserve.model.ActorState;
import io.uniserve.model.BackupRecord;
import io.uniserve.model.ReplicaKey;
import io.uniserve.model.ServerId;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Tells who has neither a whole copy nor a whole backup: every copy that may count is the damaged one, and an object that its
 * restoration reads is wrong for good. A whole copy that may come back is to be used, and what no restoration reads stands in nobody's way.
 */
final class RecoverabilityCheck {
    private static final Pattern RUN = Pattern.compile("log/(\\d{20})-(\\d{20})-(\\d{20})");

    private RecoverabilityCheck() {}

    /** A run of log entries in durable storage, put there by the primary of this epoch. */
    private record Run(long first, long last, long epoch) {
        /** A restoration takes the newest primary's word, and the longest run of it. */
        private boolean passedOver(Run other) {
            return !equals(other) && other.first <= first && other.last >= last && other.epoch >= epoch;
        }
    }

    /**
     * True when nobody holds a whole copy any more: until a takeover has begun, those from before it count.
     *
     * @param victim the server whose copy of the actor is damaged
     */
    static boolean copiesGone(ActorState actor, ServerId victim) {
        List<ServerId> holders =
                actor.former().isr().isEmpty() ? actor.isr() : actor.former().isr();
        return holders.equals(List.of(victim));
    }

    /**
     * True when the actor cannot be restored from durable storage.
     *
     * @param record what the registry says of the backup, null for nothing
     * @param keys of all objects in storage
     * @param rotten true for an object that is wrong for good
     */
    static boolean backupGone(
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
