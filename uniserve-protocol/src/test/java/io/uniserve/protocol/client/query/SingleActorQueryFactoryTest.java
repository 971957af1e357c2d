package io.uniserve.protocol.client.query;

import static io.uniserve.protocol.client.routing.TestingWorld.TABLE;
import static io.uniserve.protocol.client.routing.TestingWorld.TABLE_ID;
import static io.uniserve.protocol.client.routing.TestingWorld.actor;
import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.api.plan.Answer;
import io.uniserve.api.plan.QueryText;
import io.uniserve.api.plan.WholeQueryOperator;
import io.uniserve.codec.Bytes;
import io.uniserve.limit.Limits;
import io.uniserve.model.PortInfo;
import io.uniserve.model.TableName;
import io.uniserve.model.registry.Routing;
import io.uniserve.model.registry.ServerRecord;
import io.uniserve.protocol.client.routing.TestingWorld;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.message.client.ReadMode;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

class SingleActorQueryFactoryTest {
    private static final String WHOLE = "kv.query@1";
    private static final long DEADLINE = 2_000 * TestingWorld.MS;

    private final TestingWorld world = new TestingWorld();

    @Test
    void aQueryOfATableOfOneActorIsOneReadOfThatActor() {
        offered(List.of(1, 2), List.of(Optional.of(WHOLE), Optional.of(WHOLE)), 1);
        assertThat(direct(new QueryText(TABLE, "q=a")))
                .contains(new Query(
                        TABLE, Optional.of(List.of(0)), WHOLE, encoded("q=a"), ReadMode.LINEARIZABLE, DEADLINE));
    }

    @Test
    void soIsOneOfAChosenActor() {
        offered(List.of(1), List.of(Optional.of(WHOLE)), 3);
        assertThat(direct(new QueryText(TABLE, "q", List.of(2))).orElseThrow().actors())
                .contains(List.of(2));
    }

    @Test
    void severalActorsNeedAPlan() {
        offered(List.of(1), List.of(Optional.of(WHOLE)), 3);
        assertThat(direct(new QueryText(TABLE, "q"))).isEmpty();
        assertThat(direct(new QueryText(TABLE, "q", List.of(0, 2)))).isEmpty();
    }

    @Test
    void soDoesAPortWithoutTheOperatorOrWithOneThatNotAllServersHave() {
        offered(List.of(1, 2), List.of(Optional.empty(), Optional.empty()), 1);
        assertThat(direct(new QueryText(TABLE, "q"))).isEmpty();
        offered(List.of(1, 2), List.of(Optional.of(WHOLE), Optional.empty()), 1);
        assertThat(direct(new QueryText(TABLE, "q"))).isEmpty();
        offered(List.of(1, 2), List.of(Optional.of(WHOLE), Optional.of("kv.query@2")), 1);
        assertThat(direct(new QueryText(TABLE, "q"))).isEmpty();
    }

    @Test
    void soDoesAnUnknownTable() {
        offered(List.of(1), List.of(Optional.of(WHOLE)), 1);
        assertThat(direct(new QueryText(new TableName("other"), "q"))).isEmpty();
    }

    @Test
    void theLongestTextFitsIntoParameters() {
        assertThat(encoded("\u20ac".repeat(Limits.QUERY_TEXT_CHARS_MAX)).size()).isLessThan(Limits.PARAMETER_BYTES_MAX);
    }

    @Test
    void itIsAskedOnOneReplicaAndOnAnotherWhereThatFails() {
        offered(List.of(1, 2), List.of(Optional.of(WHOLE), Optional.of(WHOLE)), 1);
        Query query = direct(new QueryText(TABLE, "q")).orElseThrow();
        List<Outcome<QueryResult>> outcomes = new ArrayList<>();
        new QueryExecution(world.environment(), query, outcomes::add).start();
        assertThat(world.network.reads).hasSize(1);
        world.network.lastRead().fail(io.uniserve.error.ErrorCode.UNAVAILABLE);
        assertThat(world.network.reads).hasSize(2);
        world.network.lastRead().answerEach();
        assertThat(outcomes).singleElement().isInstanceOf(Outcome.Ok.class);
    }

    @Test
    void answersTravelWithoutTheirEffort() {
        Answer answer = new Answer("application/json", Bytes.utf8("{}"), new Answer.Effort(1, 2, 3));
        var codec = WholeQueryOperator.call(WHOLE).values();
        assertThat(codec.decode(codec.encode(answer))).isEqualTo(answer.withEffort(Answer.Effort.NONE));
    }

    private static Bytes encoded(String text) {
        return WholeQueryOperator.call(WHOLE).parameters().encode(text);
    }

    private Optional<Query> direct(QueryText text) {
        return SingleActorQueryFactory.of(world.current(), text, DEADLINE);
    }

    /** A table of actors with a replica on each server; the servers support these operators. */
    private void offered(List<Integer> servers, List<Optional<String>> operators, int actors) {
        int[] isr = servers.stream().mapToInt(Integer::intValue).toArray();
        io.uniserve.model.ActorState[] states = new io.uniserve.model.ActorState[actors];
        for (int i = 0; i < actors; i++) {
            states[i] = actor(i, 1, isr);
        }
        world.routeLive(servers, TABLE_ID, states);
        Routing routing = world.current().routing();
        List<ServerRecord> records = new ArrayList<>();
        for (int i = 0; i < operators.size(); i++) {
            ServerRecord server = routing.servers().get(i);
            PortInfo port = new PortInfo("kv", "1", Set.of(), List.of(), List.of(), operators.get(i));
            records.add(new ServerRecord(
                    server.id(),
                    server.incarnation(),
                    server.address(),
                    server.zone(),
                    server.capacity(),
                    List.of(port)));
        }
        world.change(new Routing(routing.clusterId(), routing.tables(), records, routing.coordinator()));
    }
}
