package io.uniserve.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.uniserve.api.Document;
import io.uniserve.api.Row;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.registry.TableMap;
import io.uniserve.model.time.ChunkCalendar;
import io.uniserve.model.time.IsoPeriod;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class TimePartitionerTest {
    private static final long DAY = 86_400_000;
    private static final TableName T = new TableName("t");

    private static Partitioner.Time time(String chunk, int buckets, String retention) {
        return new Partitioner.Time(
                "ts",
                new ChunkCalendar(IsoPeriod.parse("chunk", chunk), ZoneOffset.UTC),
                buckets,
                Optional.of(IsoPeriod.parse("retention", retention)),
                IsoPeriod.parse("ahead", "P1D"));
    }

    private static ActorState actor(int number) {
        ServerId server = new ServerId("s1");
        return new ActorState(number, 1, server, List.of(server), List.of(), List.of(), List.of(server), Map.of(), 0);
    }

    @Test
    void numbersAreAFunctionOfTimeAndKey() {
        Partitioner.Time days = time("P1D", 4, "P90D");
        PartitionKey key = PartitionKey.of("k");
        int actor = days.actorOf(0, key);
        assertThat(days.ordinalOf(actor)).isEqualTo(719_528);
        assertThat(actor % 4).isEqualTo(days.bucketOf(key));
        assertThat(days.actorOf(DAY - 1, key)).isEqualTo(actor);
        assertThat(days.actorOf(DAY, key)).isEqualTo(actor + 4);
        assertThat(days.actorOf(-1, key)).isEqualTo(actor - 4);
        assertThat(days).isEqualTo(time("P1D", 4, "P90D")).isNotEqualTo(time("P1D", 3, "P90D"));
    }

    @Test
    void aDocumentHasItsTimeInAColumn() {
        Partitioner.Time days = time("P1D", 1, "P90D");
        Document row = new Document("id", Map.of("id", "a", "ts", "1970-01-02"));
        assertThat(row.actor(days)).isEqualTo(days.actorOf(DAY, PartitionKey.of("a")));
        assertThatThrownBy(() -> new Document("id", Map.of("id", "a")).actor(days))
                .hasMessageContaining("time column \"ts\" is missing");
        Row other = () -> PartitionKey.of("a");
        assertThatThrownBy(() -> other.actor(days)).hasMessageContaining("Row.time");
        assertThatThrownBy(() -> days.actorOf(PartitionKey.of("a"))).hasMessageContaining("give the time too");
    }

    @Test
    void allNumbersFitAnInt() {
        assertThat(time("PT1H", 24, "P1Y").buckets()).isEqualTo(24);
        assertThatThrownBy(() -> time("PT1H", 25, "P1Y")).hasMessageContaining("at most 24 buckets, or a longer chunk");
        assertThatThrownBy(() -> time("P1D", 0, "P1Y")).hasMessageContaining("buckets is 0");
        assertThatThrownBy(() -> time("P1D", 1_025, "P1Y")).hasMessageContaining("1 to 1024");
    }

    @Test
    void chunksExpireAfterTheirEnd() {
        Partitioner.Time days = time("P1D", 1, "P2D");
        int ordinal = days.chunks().ordinalOf(0);
        assertThat(days.isExpired(ordinal, 3 * DAY - 1)).isFalse();
        assertThat(days.isExpired(ordinal, 3 * DAY)).isTrue();
        assertThat(days.expiryOf(ordinal)).hasValue(3 * DAY);
        assertThat(days.expired(ordinal).code()).isEqualTo(ErrorCode.CHUNK_EXPIRED);
        assertThat(days.expired(ordinal).reason())
                .contains("1970-01-01T00:00Z")
                .contains("P2D")
                .contains("longer retention");
        days.checkAhead(2 * DAY, DAY);
        assertThatThrownBy(() -> days.checkAhead(2 * DAY + 1, DAY))
                .isInstanceOfSatisfying(
                        UniserveException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_ROW));
    }

    @Test
    void mapsFindSparseActors() {
        TableMap map = new TableMap(T, 1, List.of(actor(3), actor(8), actor(9)), 2, 4);
        assertThat(map.find(8)).isEqualTo(actor(8));
        assertThat(map.find(7)).isNull();
        assertThat(map.indexOf(9)).isEqualTo(2);
        assertThat(map.numbers()).containsExactly(3, 8, 9);
        assertThat(map.describeNumbers()).isEqualTo("3 actors between 3 and 9");
        assertThatThrownBy(() -> map.get(4))
                .isInstanceOfSatisfying(
                        UniserveException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.STALE_EPOCH));
        assertThatThrownBy(() -> new TableMap(T, 1, List.of(actor(8), actor(3))))
                .hasMessageContaining("must ascend");
        Partitioner.Time days = time("P1D", 1, "P2D");
        TableMap later = map.withoutChunksBefore(days, 8);
        assertThat(later.numbers()).containsExactly(8, 9);
        assertThat(later.expiredBefore()).isEqualTo(8);
        assertThat(later.withoutChunksBefore(days, 4).expiredBefore())
                .as("it never falls")
                .isEqualTo(8);
        assertThat(later.isExpired(days, 7)).isTrue();
        assertThat(later.isExpired(days, 8)).isFalse();
        assertThat(later.isExpired(new Partitioner.Hash(4), 7)).isFalse();
    }

    @Test
    void intervalsAreHalfOpen() {
        Partitioner.Time days = time("P1D", 1, "P2D");
        int first = days.chunks().ordinalOf(0);
        TableMap map = new TableMap(T, 1, List.of(actor(first), actor(first + 1), actor(first + 2)));
        assertThat(map.numbersBetween(days, 0, DAY)).containsExactly(first);
        assertThat(map.numbersBetween(days, DAY - 1, DAY + 1)).containsExactly(first, first + 1);
        assertThat(map.numbersBetween(days, 5, 5)).isEmpty();
        assertThat(map.numbersBetween(days, Long.MIN_VALUE, Long.MAX_VALUE)).hasSize(3);
    }
}
