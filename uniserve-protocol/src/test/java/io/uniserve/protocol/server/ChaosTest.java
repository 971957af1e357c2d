package io.uniserve.protocol.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.model.AckLevel;
import io.uniserve.model.OnLoss;
import io.uniserve.model.RequestId;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.message.client.UpdateReply;
import io.uniserve.protocol.server.config.Cluster;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Servers crash and return at random under updates. At the end each update acknowledged at level ISR is there exactly once. */
class ChaosTest {
    private static final long SECOND = Cluster.SECOND;

    private final List<String> acked = new ArrayList<>();
    private final List<Client> clients = new ArrayList<>();

    private static final class Client {
        private final RequestId id;
        private final String rows;
        private List<Outcome<UpdateReply>> outcome;
        private long retryAt;

        private AckLevel level;

        private Client(RequestId id, String rows, AckLevel level, List<Outcome<UpdateReply>> outcome) {
            this.id = id;
            this.rows = rows;
            this.level = level;
            this.outcome = outcome;
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12})
    void losesNothing(long seed) {
        Random random = new Random(seed);
        Cluster cluster = new Cluster(4);
        cluster.create(1, 2 + (int) (seed % 2), 1, OnLoss.WAIT);
        List<Host> up = new ArrayList<>(cluster.servers.values());
        List<Host> down = new ArrayList<>();
        for (int step = 0; step < 400; step++) {
            if (random.nextInt(40) == 0 && !up.isEmpty()) {
                Host host = up.remove(random.nextInt(up.size()));
                host.kill(random.nextInt(60));
                down.add(host);
            }
            if (random.nextInt(15) == 0 && !down.isEmpty()) {
                Host host = down.remove(random.nextInt(down.size()));
                host.start();
                up.add(host);
            }
            if (random.nextInt(3) == 0) {
                String rows = "u" + step;
                RequestId id = cluster.nextId();
                AckLevel level = random.nextInt(4) == 0 ? AckLevel.PRIMARY : AckLevel.ISR;
                clients.add(new Client(id, rows, level, cluster.send(id, level, rows)));
            }
            cluster.loop.run(SECOND / 20 + random.nextInt(100_000_000));
            drive(cluster);
        }
        down.forEach(Host::start);
        for (int i = 0; i < 600 && !clients.isEmpty(); i++) {
            cluster.loop.run(SECOND / 10);
            drive(cluster);
        }
        assertThat(clients).as("updates that never end").isEmpty();
        cluster.converge(0, 2 + (int) (seed % 2));
        List<String> rows = cluster.primary(0).engine().rows(cluster.key(0)).stream()
                .map(row -> row.substring(row.indexOf('=') + 1))
                .toList();
        assertThat(rows).doesNotHaveDuplicates().containsAll(acked);
    }

    private void drive(Cluster cluster) {
        for (Client client : List.copyOf(clients)) {
            boolean answered = !client.outcome.isEmpty();
            boolean ok = answered
                    && client.outcome.get(0) instanceof Outcome.Ok<UpdateReply> reply
                    && !reply.value().acks().isEmpty();
            if (ok) {
                if (client.level == AckLevel.ISR) {
                    acked.add(client.rows);
                }
                clients.remove(client);
            } else if (answered || cluster.loop.nanos() - client.retryAt > 7 * SECOND) {
                client.retryAt = cluster.loop.nanos();
                client.level = AckLevel.ISR;
                client.outcome = cluster.send(client.id, AckLevel.ISR, client.rows);
            }
        }
    }
}
