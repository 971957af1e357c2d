package io.uniserve.port.kv;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.uniserve.api.Document;
import io.uniserve.api.update.UpdateContext;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** {@code kv.compare-and-set@1} on one actor. */
final class CompareAndSetTest {
    private final KvActor actor = KvActor.of(List.of(new Document("id", Map.of("id", "a", "n", 1L))));

    private static Document row(String key, @Nullable Object expect, @Nullable Object put) {
        Map<String, @Nullable Object> fields = new LinkedHashMap<>();
        fields.put("id", key);
        fields.put("expect", expect);
        fields.put("put", put);
        return new Document("id", fields);
    }

    private void take(Document... rows) {
        KvUpdateFunctions.COMPARE_AND_SET.validate(actor, Arrays.asList(rows));
        KvUpdateFunctions.COMPARE_AND_SET.update(actor, new UpdateContext(1), Arrays.asList(rows));
    }

    private void fails(ErrorCode code, Document... rows) {
        assertThatThrownBy(() -> KvUpdateFunctions.COMPARE_AND_SET.validate(actor, Arrays.asList(rows)))
                .isInstanceOfSatisfying(
                        UniserveException.class, e -> assertThat(e.code()).isEqualTo(code));
    }

    private Map<String, @Nullable Object> held(String key) {
        return actor.get("t" + key).map(Document::fields).orElse(Map.of());
    }

    @Test
    void whatIsExpectedIsReplacedMadeAndDeleted() {
        take(row("a", Map.of("n", 1L), Map.of("n", 2L)));
        assertThat(held("a")).isEqualTo(Map.of("id", "a", "n", 2L));
        take(row("a", Map.of("id", "a", "n", 2L), null), row("b", null, Map.of()));
        assertThat(held("a")).isEmpty();
        assertThat(held("b")).isEqualTo(Map.of("id", "b"));
    }

    @Test
    void rowsOfOneUpdateMeetWhatThoseBeforeHaveLeft() {
        take(row("c", null, Map.of("n", 1L)), row("c", Map.of("n", 1L), Map.of("n", 2L)));
        assertThat(held("c")).isEqualTo(Map.of("id", "c", "n", 2L));
        fails(ErrorCode.CONFLICT, row("d", null, Map.of()), row("d", null, Map.of()));
        assertThat(actor.get("td")).isEqualTo(Optional.empty());
    }

    @Test
    void anotherDocumentIsAConflict() {
        fails(ErrorCode.CONFLICT, row("a", null, Map.of()));
        fails(ErrorCode.CONFLICT, row("a", Map.of(), Map.of()));
        fails(ErrorCode.CONFLICT, row("a", Map.of("n", 1.0), Map.of()));
        fails(ErrorCode.CONFLICT, row("a", Map.of("n", 1L, "m", 1L), Map.of()));
        fails(ErrorCode.CONFLICT, row("z", Map.of("n", 1L), Map.of()));
    }

    @Test
    void rowsOfAnotherFormAreRefused() {
        fails(ErrorCode.INVALID_ROW, row("a", "x", Map.of()));
        fails(ErrorCode.INVALID_ROW, row("a", Map.of(), 5L));
        fails(ErrorCode.INVALID_ROW, row("a", Map.of("id", "b"), Map.of()));
        fails(ErrorCode.INVALID_ROW, new Document("id", Map.of("id", "a", "put", Map.of())));
        fails(
                ErrorCode.INVALID_ROW,
                new Document("id", Map.of("id", "a", "expect", Map.of(), "put", Map.of(), "n", 1L)));
    }
}
