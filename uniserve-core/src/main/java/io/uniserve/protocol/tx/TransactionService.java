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
    private final TreeMap<TableName, TransactionLogView> logs = new TreeMap<>();
    private final TreeMap<TableName, ManagerProbe> driverLooks = new TreeMap<>();
    private final CommitVisibility commitVisibility;
    private final InDoubtResolver doubts;
    private final StagedRows stage;
    private boolean stopped;
    private long nextLook;

    public TransactionService(TransactionContext host, TransactionConfig config) {
        this.host = host;
        this.config = config;
        this.commitVisibility = new CommitVisibility(host.env(), config);
        this.doubts = new InDoubtResolver(host, config, this::log, this::copy, this::driverLook);
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
        Completion<UpdateReply> later = outcome -> host.env().timers().post(() -> completion.done(outcome));
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
            known = new TransactionManager(host, config, table, log(table, tableId));
            drivers.put(table, known);
        }
        return known;
    }

    private @Nullable TransactionLogState copy(TableName table) {
        TransactionLogView known = logs.get(table);
        return known == null ? null : known.current();
    }

    /** The server's view of the log; one that takes no logs where a newer table of this name is known. */
    private TransactionLogView log(TableName table, long tableId) {
        TransactionLogView known = logs.get(table);
        if (known != null && known.tableId() == tableId) {
            return known;
        }
        TransactionLogView view = new TransactionLogView(host, commitVisibility, table, tableId);
        if (known != null && known.tableId() > tableId) {
            view.close();
            return view;
        }
        if (known != null) {
            known.close();
        }
        view.listen((log, nodeVersion) -> changed(log));
        logs.put(table, view);
        return view;
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
    public boolean offer(TableName table, TransactionLogState log, int nodeVersion) {
        return log(table, log.tableId()).offer(log, nodeVersion);
    }

    private void changed(TransactionLogState log) {
        for (Replica replica : host.replicas(log.tableId())) {
            foretell(log, replica);
        }
        doubts.logChanged(log.tableId());
    }

    /** Called when the replica's read gate has changed. */
    public void gateChanged(Replica replica) {
        doubts.changed(replica.key());
        TransactionLogState known = copy(replica.table());
        if (known != null && known.tableId() == replica.key().tableId()) {
            foretell(known, replica);
        }
    }

    /** Applies a decision of the transaction log to the replica before the replica's own log has it, because readers wait for it. */
    private void foretell(TransactionLogState log, Replica replica) {
        long open = replica.undecided();
        if (open != 0) {
            TransactionLogTransitions.decision(log, open)
                    .ifPresent(
                            decision -> host.env().timers().post(() -> replica.foretell(open, decision.committed())));
        }
    }

    /** Called when the table is dropped. */
    public void gone(TableName table) {
        TransactionLogView log = logs.remove(table);
        if (log != null) {
            log.close();
        }
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
        boolean unseen = logs.values().stream().allMatch(log -> log.current() == null);
        return unseen && drivers.isEmpty() && stage.isEmpty() ? Long.MAX_VALUE : Math.max(0, nextLook - now);
    }

    /** Runs the background checks if they are due. */
    public void tick(long now) {
        if (stopped || now - nextLook < 0) {
            return;
        }
        nextLook = now + config.lookNanos();
        for (Map.Entry<TableName, TransactionLogView> entry : List.copyOf(logs.entrySet())) {
            TransactionContext.Table known = host.table(entry.getKey());
            TransactionLogView view = entry.getValue();
            TransactionLogState log = view.current();
            if (log == null || known == null || known.meta().tableId() != log.tableId()) {
                continue;
            }
            List<Replica> mine = host.replicas(log.tableId());
            if (!mine.isEmpty()) {
                mend(entry.getKey(), view, log, mine, now);
            }
        }
        drivers.values().forEach(TransactionManager::flush);
        stage.expire();
    }

    private void mend(TableName name, TransactionLogView view, TransactionLogState log, List<Replica> mine, long now) {
        TransactionManager driver = driver(name, log.tableId());
        InFlight flight = log.inFlight();
        if (flight != null && view.flightLasts(config.timeoutNanos(flight.bytes()) + 4 * config.lookNanos(), now)) {
            driver.suspect(flight);
        }
        for (Replica replica : mine) {
            long open = replica.openVersion();
            if (open != 0 && view.openLasts(open, config.lookNanos(), now)) {
                resolve(name, driver, replica, open);
            }
        }
        for (Decision decision : log.decisions()) {
            if (!decision.unacked().isEmpty() && view.unackedLasts(decision.version(), 8 * config.lookNanos(), now)) {
                mine.stream()
                        .filter(replica -> replica.leads()
                                && decision.unacked().contains(replica.key().actor()))
                        .forEach(replica -> carryOut(name, driver, replica, decision));
            }
        }
        view.dropOldTimes(log);
    }

    /** Reads the transaction log for a version that a replica here has prepared and has no decision for. */
    private void resolve(TableName name, TransactionManager driver, Replica replica, long open) {
        log(name, replica.key().tableId()).confirm(open, false, looked -> {
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
