package io.uniserve.protocol.transaction.server;

import io.uniserve.model.Address;
import io.uniserve.model.TableName;
import io.uniserve.model.registry.TransactionLogState.InFlight;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.message.PeerReply;
import io.uniserve.protocol.message.PeerRequest;
import io.uniserve.protocol.transaction.TransactionConfig;
import io.uniserve.protocol.transaction.TransactionContext;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.function.Consumer;

/**
 * Client for the claim "not visible" for a version in flight, which it requests from the version's transaction manager. With the claim no
 * reader can have seen the version, so a read may omit it. It costs one message, while a confirmation of the transaction log costs a write
 * through ZooKeeper's quorum. One request serves all callers that arrived before it was sent.
 */
final class ManagerProbe {
    private final TransactionContext host;
    private final TransactionConfig config;
    private final TableName table;
    private final long tableId;
    private final TreeMap<Long, List<Consumer<Boolean>>> waitingCallers = new TreeMap<>();

    ManagerProbe(TransactionContext host, TransactionConfig config, TableName table, long tableId) {
        this.host = host;
        this.config = config;
        this.table = table;
        this.tableId = tableId;
    }

    long tableId() {
        return tableId;
    }

    /** @param then receives true if the version was not visible at some time after the call; false if that is unknown */
    void requestClaim(InFlight flight, Consumer<Boolean> then) {
        List<Consumer<Boolean>> together = waitingCallers.get(flight.version());
        if (together != null) {
            together.add(then);
            return;
        }
        waitingCallers.put(flight.version(), new ArrayList<>(List.of(then)));
        host.env().timers().post(() -> send(flight)); // the actors of one read call this one after the other
    }

    private void send(InFlight flight) {
        List<Consumer<Boolean>> asked = waitingCallers.remove(flight.version());
        Address driver = host.addressOf(flight.manager());
        if (asked == null) {
            return;
        }
        if (driver == null) {
            asked.forEach(then -> then.accept(false));
            return;
        }
        PeerRequest request = new PeerRequest.IsCommitInvisible(table, tableId, flight.version());
        host.env().network().call(driver, request, config.retryNanos(), reply -> {
            boolean certain = reply instanceof Outcome.Ok<PeerReply> ok && ok.value() instanceof PeerReply.Ack;
            asked.forEach(then -> then.accept(certain));
        });
    }
}
