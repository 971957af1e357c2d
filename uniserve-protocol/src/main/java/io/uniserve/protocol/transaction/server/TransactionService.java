package io.uniserve.protocol.transaction.server;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.ConsistencyLevel;
import io.uniserve.model.ReplicaKey;
import io.uniserve.model.TableName;
import io.uniserve.model.registry.TransactionLogState;
import io.uniserve.model.registry.TransactionLogState.Decision;
import io.uniserve.model.registry.TransactionLogState.InFlight;
import io.uniserve.protocol.StateCounts;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.gate.InDoubtResolution;
import io.uniserve.protocol.message.PeerReply;
import io.uniserve.protocol.message.PeerRequest;
import io.uniserve.protocol.message.PeerRequest.Prepare;
import io.uniserve.protocol.message.client.UpdateReply;
import io.uniserve.protocol.message.client.UpdateRequest;
import io.uniserve.protocol.replica.Replica;
import io.uniserve.protocol.transaction.CommitVisibility;
import io.uniserve.protocol.transaction.RequestContentHash;
import io.uniserve.protocol.transaction.TransactionConfig;
import io.uniserve.protocol.transaction.TransactionContext;
import io.uniserve.protocol.transaction.TransactionLogTransitions;
import io.uniserve.protocol.transaction.TransactionLogView;
import io.uniserve.protocol.transaction.manager.TransactionManager;
import io.uniserve.protocol.transaction.manager.TransactionPhase;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Service for the atomic updates of one server. It runs the transaction managers, aborts versions that stay undecided, applies decisions
 * that its primaries have not logged, and resolves versions in doubt for readers. Not thread-safe: it runs on the server's event loop.
 */
public final class TransactionService {
    private final TransactionContext host;
    private final TransactionConfig config;
    private final TreeMap<TableName, TransactionManager> managers = new TreeMap<>();
    private final TreeMap<TableName, TransactionLogView> logs = new TreeMap<>();
    private final TreeMap<TableName, ManagerProbe> managerProbes = new TreeMap<>();
    private final CommitVisibility commitVisibility;
    private final InDoubtResolver inDoubtResolver;
    private final StagedRowStore stagedRows;
    private boolean stopped;
    private long nextCheckNanos;

    public TransactionService(TransactionContext host, TransactionConfig config) {
        this.host = host;
        this.config = config;
        this.commitVisibility = new CommitVisibility(host.env(), config);
        this.inDoubtResolver = new InDoubtResolver(host, config, this::log, this::logCopy, this::managerProbe);
        this.stagedRows = new StagedRowStore(host.env().clock(), this::primaryActors);
        this.nextCheckNanos = host.env().clock().nanos() + config.checkIntervalNanos();
    }

    /** True for a table with atomic updates. */
    public static boolean isAtomic(ConsistencyLevel level) {
        return level.atomic();
    }

    /**
     * A client's update of an atomic table, or its rows to be staged here. The reply acknowledges all its actors, or has an error for all.
     */
    public void submit(UpdateRequest request, Completion<UpdateReply> completion) {
        Completion<UpdateReply> later = outcome -> host.env().timers().post(() -> completion.done(outcome));
        if (request.stageOnly()) {
            later.done(stagedRows.stage(request));
        } else {
            submitToManager(request, RequestContentHash.of(request), later);
        }
    }

    private Set<Integer> primaryActors(long tableId) {
        return host.replicas(tableId).stream()
                .filter(Replica::isActivePrimary)
                .map(replica -> replica.key().actor())
                .collect(Collectors.toCollection(TreeSet::new));
    }

    /** Adds staged rows to a PREPARE that names them by hash. */
    public Prepare fillPrepare(Prepare prepare) {
        return stagedRows.fillPrepare(prepare);
    }

    /** Called when a decision has arrived: drops the staged rows of a committed version. */
    public void onDecision(PeerRequest.Decide decide) {
        stagedRows.onDecision(decide);
    }

    private void submitToManager(UpdateRequest request, String sha256, Completion<UpdateReply> completion) {
        TransactionManager driver = manager(request.table(), request.tableId());
        if (driver.tableId() == request.tableId()) {
            driver.submit(request, sha256, completion);
        } else {
            completion.done(Outcome.err(new UniserveException(
                    ErrorCode.TABLE_NOT_FOUND,
                    "table " + request.table() + " number " + request.tableId() + " does not exist")));
        }
    }

    /** Completes when the replica's readable state is complete for a read that starts now; see {@link InDoubtResolver#resolve}. */
    public void resolveInDoubt(
            TableName table, ReplicaKey key, long at, boolean defers, Completion<InDoubtResolution> completion) {
        inDoubtResolver.resolve(table, key, at, defers, completion);
    }

    private TransactionManager manager(TableName table, long tableId) {
        TransactionManager known = managers.get(table);
        if (known != null && known.tableId() < tableId) {
            known.close(ErrorCode.TABLE_NOT_FOUND, "table " + table + " was dropped");
            known = null;
        }
        if (known == null) {
            known = new TransactionManager(host, config, table, log(table, tableId));
            managers.put(table, known);
        }
        return known;
    }

    private @Nullable TransactionLogState logCopy(TableName table) {
        TransactionLogView known = logs.get(table);
        return known == null ? null : known.current();
    }

    /** The server's view of the log; it accepts no logs if a newer table of this name is known. */
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

    private ManagerProbe managerProbe(TableName table, long tableId) {
        ManagerProbe known = managerProbes.get(table);
        if (known == null || known.tableId() != tableId) {
            known = new ManagerProbe(host, config, table, tableId);
            managerProbes.put(table, known);
        }
        return known;
    }

    /** Decides which versions found in ZooKeeper may be used: all reads of transaction logs pass through it. */
    public CommitVisibility commitVisibility() {
        return commitVisibility;
    }

    /** True if a manager of this server can claim "not visible" for the version. */
    public boolean canClaimInvisible(PeerRequest.IsCommitInvisible asked) {
        TransactionManager driver = managers.get(asked.table());
        return driver != null
                && driver.tableId() == asked.tableId()
                && !commitVisibility.isVisible(asked.tableId(), asked.version())
                && driver.canClaimInvisible(asked.version());
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
            applyDecisionEarly(log, replica);
        }
        inDoubtResolver.onLogChanged(log.tableId());
    }

    /** Called when the replica's read gate has changed. */
    public void onGateChanged(Replica replica) {
        inDoubtResolver.onGateChanged(replica.key());
        TransactionLogState known = logCopy(replica.table());
        if (known != null && known.tableId() == replica.key().tableId()) {
            applyDecisionEarly(known, replica);
        }
    }

    /** Applies a decision of the transaction log to the replica before the replica's own log has it, because readers wait for it. */
    private void applyDecisionEarly(TransactionLogState log, Replica replica) {
        long open = replica.transactions().undecidedVersion();
        if (open != 0) {
            TransactionLogTransitions.decision(log, open)
                    .ifPresent(decision -> host.env()
                            .timers()
                            .post(() -> replica.transactions().applyEarlyDecision(open, decision.committed())));
        }
    }

    /** Number of this server's current transactions per phase. */
    public StateCounts<TransactionPhase> transactionPhases() {
        return StateCounts.of(
                TransactionPhase.class,
                managers.values().stream()
                        .flatMap(manager -> manager.phase().stream())
                        .toList());
    }

    /** Called when the table is dropped. */
    public void onTableDropped(TableName table) {
        TransactionLogView log = logs.remove(table);
        if (log != null) {
            log.close();
        }
        managerProbes.remove(table);
        TransactionManager driver = managers.remove(table);
        if (driver != null) {
            driver.close(ErrorCode.TABLE_NOT_FOUND, "table " + table + " was dropped");
        }
    }

    /** Stops the background work of {@link #tick}. */
    public void stop() {
        stopped = true;
    }

    /** Time until {@link #tick} has work, in nanoseconds. */
    public long nanosUntilTick(long now) {
        boolean unseen = logs.values().stream().allMatch(log -> log.current() == null);
        return unseen && managers.isEmpty() && stagedRows.isEmpty()
                ? Long.MAX_VALUE
                : Math.max(0, nextCheckNanos - now);
    }

    /** Runs the background checks if they are due. */
    public void tick(long now) {
        if (stopped || now - nextCheckNanos < 0) {
            return;
        }
        nextCheckNanos = now + config.checkIntervalNanos();
        for (Map.Entry<TableName, TransactionLogView> entry : List.copyOf(logs.entrySet())) {
            TransactionContext.Table known = host.table(entry.getKey());
            TransactionLogView view = entry.getValue();
            TransactionLogState log = view.current();
            if (log == null || known == null || known.meta().tableId() != log.tableId()) {
                continue;
            }
            List<Replica> mine = host.replicas(log.tableId());
            if (!mine.isEmpty()) {
                checkTable(entry.getKey(), view, log, mine, now);
            }
        }
        managers.values().forEach(TransactionManager::flushAcks);
        stagedRows.expire();
    }

    private void checkTable(
            TableName name, TransactionLogView view, TransactionLogState log, List<Replica> mine, long now) {
        TransactionManager driver = manager(name, log.tableId());
        InFlight flight = log.inFlight();
        if (flight != null
                && view.flightLasts(config.timeoutNanos(flight.bytes()) + 4 * config.checkIntervalNanos(), now)) {
            driver.abortIfUndecided(flight);
        }
        for (Replica replica : mine) {
            long open = replica.transactions().openVersion();
            if (open != 0 && view.openLasts(open, config.checkIntervalNanos(), now)) {
                resolve(name, driver, replica, open);
            }
        }
        for (Decision decision : log.decisions()) {
            if (!decision.unackedParticipants().isEmpty()
                    && view.unackedLasts(decision.version(), 8 * config.checkIntervalNanos(), now)) {
                mine.stream()
                        .filter(replica -> replica.isActivePrimary()
                                && decision.unackedParticipants()
                                        .contains(replica.key().actor()))
                        .forEach(replica -> applyDecision(name, driver, replica, decision));
                driver.decisionSender().recordExpired(decision);
            }
        }
        view.dropOldTimes(log);
    }

    /** Reads the transaction log for a version that a replica here has prepared and has no decision for. */
    private void resolve(TableName name, TransactionManager driver, Replica replica, long open) {
        log(name, replica.key().tableId()).confirm(open, false, looked -> {
            if (looked instanceof Outcome.Ok<TransactionLogState> ok) {
                TransactionLogTransitions.decision(ok.value(), open)
                        .ifPresent(known -> applyDecision(name, driver, replica, known));
            }
        });
    }

    private void applyDecision(TableName name, TransactionManager driver, Replica replica, Decision decision) {
        PeerRequest.Decide request =
                new PeerRequest.Decide(name, replica.key(), decision.version(), decision.committed());
        replica.transactions().decide(request, reply -> {
            if (reply instanceof Outcome.Ok<PeerReply>) {
                driver.decisionSender()
                        .recordAck(decision.version(), replica.key().actor());
            }
        });
    }
}
