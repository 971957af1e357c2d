package io.uniserve.protocol.tx;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.ConsistencyLevel;
import io.uniserve.model.ReplicaKey;
import io.uniserve.model.TableName;
import io.uniserve.model.TransactionLogState;
import io.uniserve.model.TransactionLogState.Decision;
import io.uniserve.model.TransactionLogState.InFlight;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.gate.InDoubtResolution;
import io.uniserve.protocol.message.PeerReply;
import io.uniserve.protocol.message.PeerRequest;
import io.uniserve.protocol.message.PeerRequest.Prepare;
import io.uniserve.protocol.message.UpdateReply;
import io.uniserve.protocol.message.UpdateRequest;
import io.uniserve.protocol.replica.Replica;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Atomic updates of one server. It runs the transaction managers, aborts versions that stay undecided, applies decisions that its primaries
 * have not logged, and resolves versions in doubt for readers. Not thread-safe: it runs on the server's event loop.
 */
public final class TransactionService {
    private final TransactionContext host;
    private final TransactionConfig config;
    private final TreeMap<TableName, TransactionManager> drivers = new TreeMap<>();
    private final TreeMap<TableName, ConfirmedLogReader> looks = new TreeMap<>();
    private final TreeMap<TableName, ManagerProbe> driverLooks = new TreeMap<>();
    private final TreeMap<TableName, Seen> seen = new TreeMap<>();
    private final CommitVisibility commitVisibility;
    private final InDoubtResolver doubts;
    private final StagedRows stage;
    private boolean stopped;
    private long nextLook;

    /** The newest transaction log of a table that this server has seen; it may be outdated. */
    private static final class Seen {
        private TransactionLogState log;
        private int version;
        private long flight;
        private long flightSince;
        private final Map<Long, Long> undoneSince = new TreeMap<>();

        private Seen(TransactionLogState log, int version) {
            this.log = log;
            this.version = version;
        }
    }

    public TransactionService(TransactionContext host, TransactionConfig config) {
        this.host = host;
        this.config = config;
        this.commitVisibility = new CommitVisibility(host.env(), config);
        this.doubts = new InDoubtResolver(host, config, this::look, this::copy, this::driverLook);
        this.stage = new StagedRows(host.env().clock(), this::led);
        this.nextLook = host.env().clock().nanos() + config.lookNanos();
    }

    /** True for a table with atomic updates. */
    public static boolean serves(ConsistencyLevel level) {
        return level.atomic();
    }

    /**
     * A client's update of an atomic table, or its rows to be staged here. The reply acknowledges all its actors, or has an error for all.
     */
    public void submit(UpdateRequest request, Completion<UpdateReply> completion) {
        Completion<UpdateReply> later = outcome -> host.env().timers().after(0, () -> completion.done(outcome));
        if (request.stages()) {
            later.done(stage.keep(request));
        } else {
            drive(request, RequestContentHash.of(request), later);
        }
    }

    private Set<Integer> led(long tableId) {
        return host.replicas(tableId).stream()
                .filter(Replica::leads)
                .map(replica -> replica.key().actor())
                .collect(Collectors.toCollection(TreeSet::new));
    }

    /** Adds staged rows to a PREPARE that names them by hash. */
    public Prepare filled(Prepare prepare) {
        return stage.filled(prepare);
    }

    /** Called when a decision has arrived: drops the staged rows of a committed version. */
    public void decided(PeerRequest.Decide decide) {
        stage.decided(decide);
    }

    private void drive(UpdateRequest request, String sha256, Completion<UpdateReply> completion) {
        TransactionManager driver = driver(request.table(), request.tableId());
        if (driver.tableId() == request.tableId()) {
            driver.submit(request, sha256, completion);
        } else {
            completion.done(Outcome.err(new UniserveException(
                    ErrorCode.TABLE_NOT_FOUND,
                    "table " + request.table() + " number " + request.tableId() + " does not exist")));
        }
    }

    /** Completes when the replica's readable state is complete for a question that is sent now; see {@link InDoubtResolver#settle}. */
    public void settle(
            TableName table, ReplicaKey key, long at, boolean defers, Completion<InDoubtResolution> completion) {
        doubts.settle(table, key, at, defers, completion);
    }

    private TransactionManager driver(TableName table, long tableId) {
        TransactionManager known = drivers.get(table);
        if (known != null && known.tableId() < tableId) {
            known.close(ErrorCode.TABLE_NOT_FOUND, "table " + table + " was dropped");
            known = null;
        }
        if (known == null) {
            known = new TransactionManager(host, config, commitVisibility, table, tableId, (log, version) -> {
                TransactionManager now = drivers.get(table);
                if (now != null && now.tableId() == tableId) { // else it was replaced by the manager of a newer table
                    logSeen(table, log, version);
                }
            });
            drivers.put(table, known);
        }
        return known;
    }

    private @Nullable TransactionLogState copy(TableName table) {
        Seen known = seen.get(table);
        return known == null ? null : known.log;
    }

    private ConfirmedLogReader look(TableName table, long tableId) {
        ConfirmedLogReader known = looks.get(table);
        if (known != null && known.tableId() == tableId) {
            return known;
        }
        ConfirmedLogReader look =
                new ConfirmedLogReader(host.env(), commitVisibility, table, tableId, (log, version) -> {
                    ConfirmedLogReader now = looks.get(table);
                    if (now != null && now.tableId() == tableId) {
                        logSeen(table, log, version);
                    }
                });
        Seen last = seen.get(table);
        if (last != null && last.log.tableId() == tableId) {
            look.seen(last.log, last.version);
        }
        looks.put(table, look);
        return look;
    }

    private ManagerProbe driverLook(TableName table, long tableId) {
        ManagerProbe known = driverLooks.get(table);
        if (known == null || known.tableId() != tableId) {
            known = new ManagerProbe(host, config, table, tableId);
            driverLooks.put(table, known);
        }
        return known;
    }

    /** Decides which versions found in ZooKeeper may be used: all reads of transaction logs pass through it. */
    public CommitVisibility disclosure() {
        return commitVisibility;
    }

    /** True if a manager of this server can claim "not visible" for the version. */
    public boolean undisclosed(PeerRequest.Undisclosed asked) {
        TransactionManager driver = drivers.get(asked.table());
        return driver != null
                && driver.tableId() == asked.tableId()
                && !commitVisibility.isDisclosed(asked.tableId(), asked.version())
                && driver.undisclosed(asked.version());
    }

    /**
     * Called with each transaction log that was read and may be used, was written here, or was published by another server. It may be
     * outdated.
     *
     * @param version znode version of the log
     * @return true if it is newer than the copy here
     */
    public boolean logSeen(TableName table, TransactionLogState log, int version) {
        commitVisibility.disclosed(log.tableId(), log.version());
        Seen known = seen.get(table);
        if (known == null || known.log.tableId() < log.tableId()) {
            known = new Seen(log, version);
            seen.put(table, known);
        } else if (known.log.tableId() > log.tableId() || known.version >= version) {
            return false;
        }
        known.log = log;
        known.version = version;
        long flight = log.inFlight() == null ? 0 : log.inFlight().version();
        if (flight != known.flight) {
            known.flight = flight;
            known.flightSince = host.env().clock().nanos();
        }
        host.known(log.tableId(), log.version());
        TransactionManager driver = drivers.get(table);
        if (driver != null && driver.tableId() == log.tableId()) {
            driver.seenElsewhere(version);
        }
        ConfirmedLogReader look = looks.get(table);
        if (look != null && look.tableId() == log.tableId()) {
            look.seen(log, version);
        }
        for (Replica replica : host.replicas(log.tableId())) {
            foretell(log, replica);
        }
        doubts.logChanged(log.tableId());
        return true;
    }

    /** Called when the replica's read gate has changed. */
    public void gateChanged(Replica replica) {
        doubts.changed(replica.key());
        Seen known = seen.get(replica.table());
        if (known != null && known.log.tableId() == replica.key().tableId()) {
            foretell(known.log, replica);
        }
    }

    /** Applies a decision of the transaction log to the replica before the replica's own log has it, because readers wait for it. */
    private void foretell(TransactionLogState log, Replica replica) {
        long open = replica.undecided();
        if (open != 0) {
            TransactionLogTransitions.decision(log, open)
                    .ifPresent(decision ->
                            host.env().timers().after(0, () -> replica.foretell(open, decision.committed())));
        }
    }

    /** Called when the table is dropped. */
    public void gone(TableName table) {
        seen.remove(table);
        looks.remove(table);
        driverLooks.remove(table);
        TransactionManager driver = drivers.remove(table);
        if (driver != null) {
            driver.close(ErrorCode.TABLE_NOT_FOUND, "table " + table + " was dropped");
        }
    }

    /** Stops the background work of {@link #tick}. */
    public void stop() {
        stopped = true;
    }

    /** Time until {@link #tick} has work, in nanoseconds. */
    public long quietNanos(long now) {
        return seen.isEmpty() && drivers.isEmpty() && stage.isEmpty() ? Long.MAX_VALUE : Math.max(0, nextLook - now);
    }

    /** Runs the background checks if they are due. */
    public void tick(long now) {
        if (stopped || now - nextLook < 0) {
            return;
        }
        nextLook = now + config.lookNanos();
        for (Map.Entry<TableName, Seen> entry : List.copyOf(seen.entrySet())) {
            TransactionContext.Table known = host.table(entry.getKey());
            Seen table = entry.getValue();
            if (known == null || known.meta().tableId() != table.log.tableId()) {
                continue;
            }
            List<Replica> mine = host.replicas(table.log.tableId());
            if (!mine.isEmpty()) {
                mend(entry.getKey(), table, mine, now);
            }
        }
        drivers.values().forEach(TransactionManager::flush);
        stage.expire();
    }

    private void mend(TableName name, Seen table, List<Replica> mine, long now) {
        TransactionManager driver = driver(name, table.log.tableId());
        InFlight flight = table.log.inFlight();
        if (flight != null && now - table.flightSince >= config.timeoutNanos(flight.bytes()) + 4 * config.lookNanos()) {
            table.flightSince = now;
            driver.suspect(flight);
        }
        for (Replica replica : mine) {
            long open = replica.openVersion();
            if (open != 0 && since(table, open, now) >= config.lookNanos()) {
                resolve(name, driver, replica, open);
            }
        }
        for (Decision decision : table.log.decisions()) {
            if (!decision.unacked().isEmpty() && since(table, -decision.version(), now) >= 8 * config.lookNanos()) {
                table.undoneSince.put(-decision.version(), now);
                mine.stream()
                        .filter(replica -> replica.leads()
                                && decision.unacked().contains(replica.key().actor()))
                        .forEach(replica -> carryOut(name, driver, replica, decision));
            }
        }
        table.undoneSince.keySet().removeIf(version -> Math.abs(version) < table.log.version() - 4096);
    }

    private static long since(Seen table, long what, long now) {
        return now - table.undoneSince.computeIfAbsent(what, w -> now);
    }

    /** Reads the transaction log for a version that a replica here has prepared and has no decision for. */
    private void resolve(TableName name, TransactionManager driver, Replica replica, long open) {
        look(name, replica.key().tableId()).look(open, false, looked -> {
            if (looked instanceof Outcome.Ok<TransactionLogState> ok) {
                TransactionLogTransitions.decision(ok.value(), open)
                        .ifPresent(known -> carryOut(name, driver, replica, known));
            }
        });
    }

    private void carryOut(TableName name, TransactionManager driver, Replica replica, Decision decision) {
        PeerRequest.Decide request =
                new PeerRequest.Decide(name, replica.key(), decision.version(), decision.committed());
        replica.decide(request, reply -> {
            if (reply instanceof Outcome.Ok<PeerReply>) {
                driver.teller().acked(decision.version(), replica.key().actor());
            }
        });
    }
}
