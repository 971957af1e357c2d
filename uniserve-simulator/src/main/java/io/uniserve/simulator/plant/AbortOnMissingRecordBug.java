package io.uniserve.simulator.plant;

import io.uniserve.model.ReplicaKey;
import io.uniserve.model.TableName;
import io.uniserve.model.registry.TransactionLogState;
import io.uniserve.protocol.RegistryPaths;
import io.uniserve.protocol.gate.ReadGate;
import io.uniserve.protocol.message.PeerReply;
import io.uniserve.protocol.message.PeerRequest;
import io.uniserve.protocol.transaction.TransactionLogTransitions;
import io.uniserve.simulator.engine.SimGatePublisher;
import io.uniserve.simulator.kernel.SimProcess;
import io.uniserve.simulator.network.Endpoint;
import io.uniserve.simulator.registry.SimEnsemble;

/**
 * {@link Plant#ABORT_ON_MISSING_RECORD}: checks a server's versions in doubt periodically. If the transaction log has no decision on one,
 * it sends the server's own replicas an abort.
 */
public final class AbortOnMissingRecordBug {
    private static final long LOOK_NANOS = 700_000_000;

    private final TableName table;
    private final SimProcess process;
    private final SimGatePublisher gates;
    private final SimEnsemble ensemble;
    private final Endpoint.Handler<PeerRequest, PeerReply> machine;

    public AbortOnMissingRecordBug(
            TableName table,
            SimProcess process,
            SimGatePublisher gates,
            SimEnsemble ensemble,
            Endpoint.Handler<PeerRequest, PeerReply> machine) {
        this.table = table;
        this.process = process;
        this.gates = gates;
        this.ensemble = ensemble;
        this.machine = machine;
    }

    /** Repeats the check for as long as the process runs. */
    public void start() {
        process.post(LOOK_NANOS, () -> {
            gates.all().forEach(this::abortIfMissing);
            start();
        });
    }

    private void abortIfMissing(ReplicaKey key, ReadGate gate) {
        boolean missing = gate.inDoubtVersion() != 0
                && ensemble.read(RegistryPaths.log(table, key.tableId()), ensemble.zxid())
                                .value()
                        instanceof TransactionLogState log
                && TransactionLogTransitions.decision(log, gate.inDoubtVersion())
                        .isEmpty();
        if (missing) {
            machine.handle(new PeerRequest.Decide(table, key, gate.inDoubtVersion(), false), outcome -> {});
        }
    }
}
