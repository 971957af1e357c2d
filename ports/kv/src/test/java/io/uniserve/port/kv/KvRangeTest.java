package io.uniserve.port.kv;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.uniserve.api.Document;
import io.uniserve.codec.BinaryWriter;
import io.uniserve.codec.Codecs;
import io.uniserve.error.UniserveException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** {@code kv.range@1} on one actor, its codec and its merge. */
final class KvRangeTest {
    private final KvActor actor = KvActor.of(List.of(text("a"), text("b"), text("d"), number(5), number(7)));

    private static Document text(String key) {
        return new Document("id", Map.of("id", key, "x", "x" + key, "y", "y" + key));
    }

    private static Document number(long key) {
        return new Document("id", Map.of("id", key, "x", "x" + key));
    }

    private List<Object> keys(String from) {
        List<Object> keys = new ArrayList<>();
        actor.from(from)
                .forEach(document -> keys.add(String.valueOf(document.fields().get("id"))));
        return keys;
    }

    @Test
    void aRangeHasKeysOfOneKind() {
        assertThat(keys("tb")).containsExactly("b", "d");
        assertThat(keys("tc")).containsExactly("d");
        assertThat(keys("te")).isEmpty();
        assertThat(keys("n5")).containsExactly("5", "7");
        assertThat(keys("n6")).containsExactly("7");
    }

    @Test
    void fieldsAreChosen() {
        KvRange all = new KvRange("ta", 1, List.of());
        KvRange one = new KvRange("ta", 1, List.of("y", "z"));
        assertThat(all.project(text("a"))).isEqualTo(text("a"));
        assertThat(one.project(text("a"))).isEqualTo(new Document("id", Map.of("id", "a", "y", "ya")));
    }

    @Test
    void answersAreMergedByKey() {
        KvRange range = new KvRange("ta", 3, List.of());
        assertThat(range.merge(List.of(text("a"), text("d")), List.of(text("b"), text("e"))))
                .containsExactly(text("a"), text("b"), text("d"));
        assertThat(range.merge(List.of(), List.of(text("b")))).containsExactly(text("b"));
        assertThat(range.merge(List.of(text("b")), List.of())).containsExactly(text("b"));
    }

    @Test
    void parametersAreTheSameAfterTheWire() {
        for (String from : List.of("tt x", "n-7", "n" + Long.MAX_VALUE)) {
            KvRange range = new KvRange(from, 9, List.of("a", "b"));
            assertThat(KvRange.CODEC.decode(KvRange.CODEC.encode(range))).isEqualTo(range);
        }
    }

    @Test
    void wrongParametersAreRefused() {
        assertThatThrownBy(() -> new KvRange("ta", 0, List.of()))
                .isInstanceOf(UniserveException.class)
                .hasMessageContaining("limit is 0: use 1 to 10000");
        for (String key : List.of("", "x5")) {
            BinaryWriter out = new BinaryWriter();
            out.writeString(key).writeInt(1);
            Codecs.list(Codecs.STRING).write(out, List.of());
            assertThatThrownBy(() -> KvRange.CODEC.decode(out.toBytes()))
                    .isInstanceOf(UniserveException.class)
                    .hasMessageContaining("key of the range is");
        }
    }
}
