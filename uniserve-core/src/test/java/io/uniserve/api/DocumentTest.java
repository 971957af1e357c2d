package io.uniserve.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.uniserve.codec.Bytes;
import io.uniserve.error.UniserveException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class DocumentTest {
    private static Map<String, @Nullable Object> fields(int count) {
        Map<String, @Nullable Object> fields = new LinkedHashMap<>();
        for (int i = 0; i < count; i++) {
            fields.put("name-" + (7 * i) % 1_000, i % 3 == 0 ? null : (Object) ("value-" + i));
        }
        return fields;
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, CompactFieldMap.FIELDS_MAX, CompactFieldMap.FIELDS_MAX + 1, 100})
    void aDocumentIsAsItsMap(int count) {
        Map<String, @Nullable Object> fields = fields(count);
        Document document = new Document("name-0", fields);
        Document read = Document.CODEC.decode(Document.CODEC.encode(document));
        assertThat(read).isEqualTo(document);
        for (Document one : List.of(document, read, new Document("name-0", read.fields()))) {
            assertThat(one.fields()).isEqualTo(fields).hasSameHashCodeAs(fields).hasToString(fields.toString());
            assertThat(fields).isEqualTo(one.fields());
            assertThat(new ArrayList<>(one.fields().keySet())).isEqualTo(new ArrayList<>(fields.keySet()));
            assertThat(new ArrayList<>(one.fields().values())).isEqualTo(new ArrayList<>(fields.values()));
            fields.forEach((name, value) -> {
                assertThat(one.fields().get(name)).isEqualTo(value);
                assertThat(one.fields().containsKey(name)).isTrue();
            });
            assertThat(one.fields().get("other")).isNull();
            assertThat(one.fields().containsKey("other")).isFalse();
            List<String> seen = new ArrayList<>();
            one.fields().forEach((name, value) -> seen.add(name + value));
            assertThat(seen)
                    .containsExactlyElementsOf(fields.entrySet().stream()
                            .map(entry -> entry.getKey() + entry.getValue())
                            .toList());
        }
    }

    /** Otherwise the same rows would have other content when another process sends them again. */
    @Test
    void aMapWithoutOrderIsWrittenInThatOfItsNames() {
        Map<String, Object> names = Map.of("h", 1L, "c", 2L, "a", 3L, "g", 4L, "b", 5L, "f", 6L, "d", 7L, "e", 8L);
        Map<String, Object> inOrder = new TreeMap<>(names);
        Bytes expected = Document.CODEC.encode(new Document("a", Map.of("a", List.of(inOrder))));
        for (Map<String, Object> map : List.of(names, new HashMap<>(names), new ConcurrentHashMap<>(names))) {
            assertThat(new Document("a", map).fields().keySet()).containsExactlyElementsOf(inOrder.keySet());
            assertThat(Document.CODEC.encode(new Document("a", Map.of("a", List.of(map)))))
                    .isEqualTo(expected);
        }
        Map<String, Object> own = new LinkedHashMap<>();
        own.put("z", 1L);
        own.put("a", 2L);
        assertThat(new Document("a", own).fields().keySet()).containsExactly("z", "a");
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 100})
    void nobodyChangesADocument(int count) {
        Map<String, @Nullable Object> fields = fields(count);
        Document document = new Document("name-0", fields);
        fields.put("name-0", "other");
        assertThat(document.fields().get("name-0")).isNull();
        assertThatThrownBy(() -> document.fields().put("a", 1L)).isInstanceOf(UnsupportedOperationException.class);
        assertThatThrownBy(() -> document.fields().remove("name-0")).isInstanceOf(UnsupportedOperationException.class);
        assertThatThrownBy(() -> document.fields().remove("absent")).isInstanceOf(UnsupportedOperationException.class);
        assertThatThrownBy(() -> document.fields().clear()).isInstanceOf(UnsupportedOperationException.class);
        assertThatThrownBy(() -> document.fields().entrySet().iterator().next().setValue("other"))
                .isInstanceOf(UnsupportedOperationException.class);
        var entries = document.fields().entrySet().iterator();
        for (int i = 0; i < count; i++) {
            entries.next();
        }
        assertThat(entries.hasNext()).isFalse();
        assertThatThrownBy(entries::next).isInstanceOf(NoSuchElementException.class);
    }

    @Test
    void equalNamesOfAStrangeMapAreOneField() {
        Map<String, @Nullable Object> fields = new IdentityHashMap<>();
        fields.put("a", 1L);
        fields.put(new String("a"), 1L);
        fields.put("b", null);
        Document document = new Document("a", fields);
        assertThat(document.fields()).hasSize(2).containsEntry("a", 1L).containsEntry("b", null);
        assertThat(Document.CODEC.decode(Document.CODEC.encode(document))).isEqualTo(document);
    }

    /** As with a map that grows during the copy. */
    @Test
    void aMapMayHaveMoreFieldsThanItSays() {
        Map<String, @Nullable Object> fields = new LinkedHashMap<>(fields(40)) {
            @Override
            public int size() {
                return 1;
            }
        };
        assertThat(new Document("name-0", fields).fields()).isEqualTo(fields(40));
    }

    @Test
    void aDocumentMayHaveAFieldWithoutName() {
        Map<String, @Nullable Object> fields = fields(2);
        fields.put(null, "nameless");
        Document document = new Document("name-0", fields);
        assertThat(document.fields().get(null)).isEqualTo("nameless");
        assertThat(document.fields().entrySet().containsAll(fields.entrySet())).isTrue();
        assertThatThrownBy(() -> Document.CODEC.encode(document)).isInstanceOf(UniserveException.class);
    }

    /** No writer produces such bytes, but a client may send them. */
    @Test
    void ofANameThatComesTwiceTheLastValueCounts() {
        byte[] bytes = Document.CODEC
                .encode(new Document("a", Map.of("a", "first", "b", "again")))
                .toArray();
        String text = new String(bytes, java.nio.charset.StandardCharsets.ISO_8859_1);
        int other = text.lastIndexOf("b");
        bytes[other] = 'a';
        Document read = Document.CODEC.decode(Bytes.wrap(bytes));
        assertThat(read.fields()).containsOnlyKeys("a");
        assertThat(read.fields().get("a")).isEqualTo(text.indexOf("first") > text.indexOf("again") ? "first" : "again");
    }

    @Test
    void namesOfManyRowsAreOneText() {
        Document one = Document.CODEC.decode(Document.CODEC.encode(new Document("a", fields(3))));
        Document two = Document.CODEC.decode(Document.CODEC.encode(new Document("a", fields(3))));
        assertThat(one.fields().keySet().iterator().next())
                .isSameAs(two.fields().keySet().iterator().next());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "a",
                "naïve",
                "日本",
                "\u0000",
                "\u00e4\u0000",
                "\ud83d\ude00",
                "0123456789012345678901234567890123456789012345678901234567890123"
            })
    void anyNameIsReadAsItWasWritten(String name) {
        for (String text : List.of(name, name + "x", name.repeat(40))) {
            Document document = new Document(text, Map.of(text, 1L));
            for (int i = 0; i < 2; i++) {
                assertThat(Document.CODEC.decode(Document.CODEC.encode(document)))
                        .isEqualTo(document);
            }
        }
    }

    @Test
    @SuppressWarnings({"unchecked", "rawtypes"})
    void aNameThatIsNoTextIsRefused() {
        Document document = new Document("a", (Map) Map.of(1L, "value"));
        assertThatThrownBy(() -> Document.CODEC.encode(document))
                .isInstanceOf(UniserveException.class)
                .hasMessageContaining("field names must be texts, not 1");
    }
}
