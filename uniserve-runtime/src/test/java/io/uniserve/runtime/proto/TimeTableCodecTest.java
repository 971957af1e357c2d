package io.uniserve.runtime.proto;

import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.limit.Limits;
import io.uniserve.model.ActorState;
import io.uniserve.model.ConsistencyLevel;
import io.uniserve.model.OnLoss;
import io.uniserve.model.Partitioner;
import io.uniserve.model.ServerId;
import io.uniserve.model.TableName;
import io.uniserve.model.registry.RegistryValue;
import io.uniserve.model.registry.TableMap;
import io.uniserve.model.registry.TableMeta;
import io.uniserve.model.time.ChunkCalendar;
import io.uniserve.model.time.IsoPeriod;
import io.uniserve.protocol.message.AdminRequest;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Definitions, requests and maps of TIME tables on the wire, and the size of their largest maps in the registry. */
class TimeTableCodecTest {
    private static final TableName T = new TableName("t");
    private static final int NODE_BYTES_MAX = 1_000_000;

    private static RegistryValue copy(RegistryValue value) {
        return RegistryCodec.decode("/t", RegistryCodec.encode(value));
    }

    /** A map with replicas on random servers of eight, of which some actors have changed servers often. */
    private static TableMap map(int actors, int rf) {
        Random random = new Random(37);
        List<ServerId> servers = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            servers.add(new ServerId(new UUID(random.nextLong(), random.nextLong()).toString()));
        }
        List<ActorState> states = new ArrayList<>();
        for (int i = 0; i < actors; i++) {
            List<ServerId> replicas = new ArrayList<>();
            while (replicas.size() < rf) {
                ServerId server = servers.get(random.nextInt(servers.size()));
                if (!replicas.contains(server)) {
                    replicas.add(server);
                }
            }
            states.add(new ActorState(
                    35_490_000 + i,
                    1 + random.nextInt(20),
                    replicas.get(0),
                    replicas,
                    List.of(),
                    List.of(),
                    replicas,
                    Map.of(),
                    0,
                    true,
                    io.uniserve.model.PreviousIsr.NONE));
        }
        return new TableMap(T, 7, states, 17_745_000, 42);
    }

    @Test
    void definitionsAndRequestsAreCopied() {
        for (Optional<IsoPeriod> retention :
                List.of(Optional.<IsoPeriod>empty(), Optional.of(IsoPeriod.parse("retention", "P90D")))) {
            Partitioner.Time time = new Partitioner.Time(
                    "ts",
                    new ChunkCalendar(IsoPeriod.parse("chunk", "P1DT12H"), ZoneId.of("Europe/Rome")),
                    3,
                    retention,
                    IsoPeriod.parse("ahead", "PT1H"));
            TableMeta meta =
                    new TableMeta(T, 7, time, "id", ConsistencyLevel.EVENTUAL, 2, 1, OnLoss.WAIT, "kv", Map.of());
            assertThat(copy(meta)).isEqualTo(meta);
            assertThat(io.uniserve.protocol.backup.format.StoredTableDefinition.decode(
                            io.uniserve.protocol.backup.format.StoredTableDefinition.encode(meta)))
                    .isEqualTo(meta);
        }
        AdminRequest request = new AdminRequest.CreateChunks(T, 7, List.of(1, 739_000));
        assertThat(AdminMapping.fromProto(AdminMapping.toProto("c", request))).isEqualTo(request);
    }

    @Test
    void sparseMapsAreCopied() {
        for (int actors : new int[] {0, 3, Limits.ACTORS_PER_TABLE_MAX + 1}) {
            TableMap map = map(actors, 2);
            assertThat(copy(map)).isEqualTo(map);
        }
    }

    @Test
    void theLargestMapFitsANodeOfTheRegistry() {
        int chunks = RegistryCodec.encode(map(20_000, 2)).length;
        int largest = RegistryCodec.encode(map(Limits.TIME_ACTORS_PER_TABLE_MAX, 3)).length;
        assertThat(chunks).isLessThan(NODE_BYTES_MAX);
        assertThat(largest).isLessThan(NODE_BYTES_MAX);
    }
}
