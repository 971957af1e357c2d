package io.uniserve.simulator.check.chunk;

import io.uniserve.model.ActorState;
import io.uniserve.model.Partitioner;
import io.uniserve.model.TableName;
import io.uniserve.model.registry.TableMap;
import io.uniserve.model.registry.TransactionLogState;
import io.uniserve.model.registry.TransactionLogState.Decision;
import io.uniserve.protocol.RegistryPaths;
import io.uniserve.protocol.env.Registry;
import io.uniserve.protocol.message.PeerReply;
import io.uniserve.protocol.message.PeerRequest;
import io.uniserve.simulator.check.ViolationCollector;
import io.uniserve.simulator.registry.SimEnsemble;
import io.uniserve.simulator.registry.SimEnsemble.Applied;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Check of map and transaction log of an atomic table that is partitioned by time, in the registry.
 *
 * <p>I1: a new actor has, as its first version, the one in flight, or else the next one, at the moment of its creation. A version is
 * committed only with actors of the map whose first version is not above it, and no primary votes for an earlier one. I20: the watermark
 * never falls, only actors below it leave, and none of them comes back; a table that goes back to a version keeps all actors that were made
 * before. LIVE: no decision waits for long for an actor whose chunk is expired.
 */
public final class ChunkMapCheck implements SimEnsemble.Listener {
    /** Time in which writes of the transaction log have to drop the expired actors of decisions, and a number of writes for it. */
    private static final long EXPIRED_KEPT_NANOS_MAX = 20_000_000_000L;

    private static final int EXPIRED_KEPT_WRITES_MAX = 20;

    private final ViolationCollector violations;
    private final TableName table;
    private final Partitioner.Time time;
    private final LongSupplier now;
    private final TreeSet<Integer> gone = new TreeSet<>();
    /** Decisions with an expired actor, by version and actor. */
    private final Map<String, Kept> kept = new HashMap<>();

    private final TreeMap<Integer, Long> firstVersions = new TreeMap<>();
    private int commits;
    private @Nullable TableMap map;
    private @Nullable TransactionLogState log;

    /** First write that has an expired actor in a decision, and the number of writes since. */
    private record Kept(long sinceNanos, int writes) {}

    /** @param now the present virtual time */
    public ChunkMapCheck(ViolationCollector violations, TableName table, Partitioner.Time time, LongSupplier now) {
        this.violations = violations;
        this.table = table;
        this.time = time;
        this.now = now;
    }

    /** Number of actors whose chunks expired. */
    public int expired() {
        return gone.size();
    }

    /** Number of commits. */
    public int commits() {
        return commits;
    }

    private void violation(String code, String what) {
        violations.add(code, "table " + table + ": " + what);
    }

    @Override
    public void onCommitted(String session, long zxid, List<Applied> applied, Set<String> changed) {
        TransactionLogState before = log;
        TransactionLogState written = null;
        for (Applied one : applied) {
            if (one.after() != null
                    && one.after().value() instanceof TransactionLogState value
                    && !(one.op() instanceof Registry.Op.Check)
                    && one.op().path().equals(RegistryPaths.log(table, value.tableId()))) {
                written = value;
            }
        }
        log = written == null ? before : written;
        for (Applied one : applied) {
            if (one.after() != null
                    && one.after().value() instanceof TableMap value
                    && one.op().path().equals(RegistryPaths.map(table))) {
                changed(value);
            }
        }
        if (written != null) {
            if (before != null && before.tableId() == written.tableId()) {
                stepped(before, written);
            }
            checkExpired(written);
        }
    }

    private void changed(TableMap after) {
        TableMap before = map;
        map = after;
        if (before != null && after.expiredBefore() < before.expiredBefore()) {
            violation("I20", "the watermark fell from " + before.expiredBefore() + " to " + after.expiredBefore());
        }
        firstVersions.clear();
        for (ActorState actor : after.actors()) {
            firstVersions.put(actor.actor(), actor.firstVersion());
            if (time.ordinalOf(actor.actor()) < after.expiredBefore() || gone.contains(actor.actor())) {
                violation("I20", "actor " + actor.actor() + " of an expired chunk came back");
            }
            if (before != null && before.tableId() == after.tableId() && !before.has(actor.actor())) {
                created(actor);
            }
        }
        if (before != null) {
            before.actors().stream()
                    .filter(actor -> !after.has(actor.actor()))
                    .forEach(actor -> removed(actor, before, after));
        }
    }

    /** An actor leaves if its chunk is expired, or if the table goes back to a version from before the chunk was made. */
    private void removed(ActorState actor, TableMap before, TableMap after) {
        boolean sameNumber = before.tableId() == after.tableId();
        if (time.ordinalOf(actor.actor()) < after.expiredBefore()) {
            gone.add(actor.actor());
        } else if (sameNumber) {
            violation("I20", "actor " + actor.actor() + " is gone, but its chunk is not expired");
        } else if (log != null && actor.firstVersion() <= log.committedVersion()) {
            violation(
                    "I20",
                    "number " + after.tableId() + " at version " + log.committedVersion() + " lacks actor "
                            + actor.actor() + ", whose first version is " + actor.firstVersion());
        }
    }

    private void created(ActorState actor) {
        TransactionLogState known = log;
        if (known == null) {
            violation("I1", "actor " + actor.actor() + " was made without a transaction log");
            return;
        }
        long first = known.inFlight() == null
                ? known.nextVersion()
                : known.inFlight().version();
        if (actor.firstVersion() != first) {
            violation(
                    "I1",
                    "actor " + actor.actor() + " was made with first version " + actor.firstVersion()
                            + ", and the transaction log was at version " + first);
        }
    }

    private void stepped(TransactionLogState before, TransactionLogState after) {
        if (after.committedVersion() <= before.committedVersion()) {
            return;
        }
        commits++;
        for (Decision decision : after.decisions()) {
            if (decision.version() == after.committedVersion()) {
                decision.unackedParticipants().forEach(actor -> participated(actor, decision.version()));
            }
        }
    }

    private void participated(int number, long version) {
        ActorState actor = map == null ? null : map.find(number);
        if (actor == null) {
            violation("I1", "version " + version + " was committed with actor " + number + ", which the map lacks");
        } else if (actor.firstVersion() > version) {
            violation(
                    "I1",
                    "version " + version + " was committed with actor " + number + ", whose first version is "
                            + actor.firstVersion());
        }
    }

    /** Checks a vote of a primary. */
    public void voted(PeerRequest.Prepare request, PeerReply.Vote vote) {
        TableMap known = map;
        if (known != null
                && request.table().equals(table)
                && request.key().tableId() == known.tableId()
                && vote.kind() == PeerReply.Vote.Kind.YES
                && request.version() < firstVersions.getOrDefault(request.key().actor(), 0L)) {
            violation(
                    "I1",
                    "actor " + request.key().actor() + " votes for version " + request.version()
                            + ", and its first version is "
                            + firstVersions.get(request.key().actor()));
        }
    }

    private void checkExpired(TransactionLogState after) {
        int expiredBefore = map == null ? 0 : map.expiredBefore();
        Map<String, Kept> still = new HashMap<>();
        for (Decision decision : after.decisions()) {
            for (int actor : decision.unackedParticipants()) {
                if (time.ordinalOf(actor) < expiredBefore) {
                    String key = after.tableId() + "/" + decision.version() + "/" + actor;
                    Kept before = kept.getOrDefault(key, new Kept(now.getAsLong(), 0));
                    still.put(key, new Kept(before.sinceNanos, before.writes + 1));
                    if (before.writes > EXPIRED_KEPT_WRITES_MAX
                            && now.getAsLong() - before.sinceNanos > EXPIRED_KEPT_NANOS_MAX) {
                        violation(
                                "LIVE",
                                "the decision on version " + decision.version() + " still waits for actor " + actor
                                        + ", whose chunk expired long ago");
                    }
                }
            }
        }
        kept.clear();
        kept.putAll(still);
    }
}
