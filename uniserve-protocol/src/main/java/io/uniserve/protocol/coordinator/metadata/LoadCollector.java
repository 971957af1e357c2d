package io.uniserve.protocol.coordinator.metadata;

import io.uniserve.model.registry.ServerRecord;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.message.PeerReply;
import io.uniserve.protocol.message.PeerRequest;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Consumer;

/** Collector of the loads of all live servers. Servers that do not reply in time are omitted. */
public final class LoadCollector {
    private final LeaderContext leader;
    private final Consumer<List<PeerReply.Load>> then;
    private final List<PeerReply.Load> loads = new ArrayList<>();
    private int waiting;

    private LoadCollector(LeaderContext leader, Consumer<List<PeerReply.Load>> then) {
        this.leader = leader;
        this.then = then;
    }

    /** Calls back with the loads, sorted by server, once every server has replied or failed. */
    public static void run(LeaderContext leader, Consumer<List<PeerReply.Load>> then) {
        new LoadCollector(leader, then).requestLoads(leader.liveServers());
    }

    private void requestLoads(List<ServerRecord> servers) {
        waiting = servers.size();
        if (servers.isEmpty()) {
            then.accept(List.of());
        }
        for (ServerRecord server : servers) {
            Completion<PeerReply> one = leader.registry().scoped(this::onReply);
            leader.env()
                    .network()
                    .call(
                            server.address(),
                            new PeerRequest.ReportLoad(),
                            leader.config().rpcTimeoutNanos(),
                            one);
        }
    }

    private void onReply(Outcome<PeerReply> outcome) {
        if (outcome instanceof Outcome.Ok<PeerReply> ok && ok.value() instanceof PeerReply.Load load) {
            loads.add(load);
        }
        if (--waiting == 0) {
            loads.sort(Comparator.comparing(PeerReply.Load::server));
            then.accept(loads);
        }
    }
}
