package io.uniserve.protocol.coordinator;

import io.uniserve.model.ServerRecord;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.message.PeerReply;
import io.uniserve.protocol.message.PeerRequest;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Consumer;

/** Collector of the loads of all live servers. Servers that do not reply in time are omitted. */
final class LoadCollector {
    private final LeaderTerm leaderTerm;
    private final Consumer<List<PeerReply.Load>> then;
    private final List<PeerReply.Load> loads = new ArrayList<>();
    private int waiting;

    private LoadCollector(LeaderTerm leaderTerm, Consumer<List<PeerReply.Load>> then) {
        this.leaderTerm = leaderTerm;
        this.then = then;
    }

    /** Calls back with the loads, sorted by server, once every server has replied or failed. */
    static void run(LeaderTerm leaderTerm, Consumer<List<PeerReply.Load>> then) {
        new LoadCollector(leaderTerm, then).ask(leaderTerm.live());
    }

    private void ask(List<ServerRecord> servers) {
        waiting = servers.size();
        if (servers.isEmpty()) {
            then.accept(List.of());
        }
        for (ServerRecord server : servers) {
            Completion<PeerReply> one = leaderTerm.registry().scoped(this::answered);
            leaderTerm
                    .env()
                    .network()
                    .call(
                            server.address(),
                            new PeerRequest.ReportLoad(),
                            leaderTerm.config().rpcTimeoutNanos(),
                            one);
        }
    }

    private void answered(Outcome<PeerReply> outcome) {
        if (outcome instanceof Outcome.Ok<PeerReply> ok && ok.value() instanceof PeerReply.Load load) {
            loads.add(load);
        }
        if (--waiting == 0) {
            loads.sort(Comparator.comparing(PeerReply.Load::server));
            then.accept(loads);
        }
    }
}
