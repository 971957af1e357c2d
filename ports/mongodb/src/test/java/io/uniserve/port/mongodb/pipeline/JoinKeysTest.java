package io.uniserve.port.mongodb.pipeline;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.bson.BsonDocument;
import org.bson.BsonSymbol;
import org.bson.BsonUndefined;
import org.junit.jupiter.api.Test;

/** Values that an engine may join have a hash in common. */
class JoinKeysTest {
    private static Set<Long> keys(String document, String path) {
        return JoinKeys.of(BsonDocument.parse(document), JoinKeys.path(path).orElseThrow(), false);
    }

    private static Set<Long> of(String value) {
        return keys("{a: " + value + "}", "a");
    }

    private static void meet(String... values) {
        for (String value : values) {
            Set<Long> common = new HashSet<>(of(values[0]));
            common.retainAll(of(value));
            assertThat(common).as("%s and %s", values[0], value).isNotEmpty();
        }
    }

    @Test
    void numbersOfOneValueMeet() {
        meet("1", "{$numberLong: '1'}", "1.0", "{$numberDecimal: '1.00'}", "{$numberDecimal: '1E0'}", "[7, [1]]");
        meet("0", "-0.0", "{$numberDecimal: '-0'}", "{$numberDecimal: '0E-6000'}");
        meet("{$numberDouble: 'NaN'}", "{$numberDecimal: 'NaN'}");
        meet("{$numberDouble: '-Infinity'}", "{$numberDecimal: '-Infinity'}");
        meet("{$numberLong: '9007199254740993'}", "{$numberDecimal: '9007199254740993'}");
        meet("{$numberDecimal: '9E6144'}", "{$numberDecimal: '9.0E6144'}");
        meet("0.5", "{$numberDecimal: '0.5'}");
    }

    @Test
    void missingMeetsNullAndNothing() {
        Set<Long> none = of("null");
        assertThat(none).hasSize(1);
        assertThat(keys("{}", "a")).isEqualTo(none);
        assertThat(keys("{a: 1}", "a.b")).isEqualTo(none);
        assertThat(of("[]")).isEqualTo(none);
        assertThat(of("[[], [[null]]]")).isEqualTo(none);
        assertThat(JoinKeys.of(new BsonDocument("a", new BsonUndefined()), new String[] {"a"}, false))
                .isEqualTo(none);
        BsonDocument inArray = BsonDocument.parse("{a: [{b: 1}]}");
        assertThat(JoinKeys.of(inArray, new String[] {"a", "b"}, false)).isEqualTo(of("1"));
        assertThat(JoinKeys.of(inArray, new String[] {"a", "b"}, true))
                .containsAll(none)
                .containsAll(of("1"));
        assertThat(keys("{a: [{b: 1}, {c: 2}, 3]}", "a.b")).containsAll(none).containsAll(of("1"));
    }

    /** MongoDB finds no values below an array in an array, so such a document joins with those without the field. */
    @Test
    void arraysInArraysOnTheWayMeetNothing() {
        for (String document : List.of("{a: [[{b: 1}]]}", "{a: [[1]]}", "{a: [2, [{b: 1}]]}", "{a: [{b: 1}, [[]]]}")) {
            assertThat(JoinKeys.of(BsonDocument.parse(document), new String[] {"a", "b"}, false))
                    .as(document)
                    .containsAll(of("null"));
        }
    }

    @Test
    void documentsMeetWhateverTheOrderOfTheirFields() {
        meet("{b: 1, c: 'x'}", "{c: 'x', b: 1.0}", "{b: 1, c: 'x', d: null}", "[{b: 1, c: 'x'}]");
        meet("{b: [1, {c: 2}]}", "{b: [1.0, {c: {$numberLong: '2'}}]}");
    }

    @Test
    void textsAndSymbolsMeet() {
        assertThat(JoinKeys.of(new BsonDocument("a", new BsonSymbol("😀")), new String[] {"a"}, false))
                .isEqualTo(of("'😀'"));
    }

    @Test
    void differentValuesHaveDifferentHashesAndAllSlots() {
        List<String> values = List.of(
                "null",
                "0",
                "1",
                "-1",
                "0.5",
                "''",
                "'1'",
                "'a'",
                "'A'",
                "'😀'",
                "'\uFFFD'",
                "true",
                "false",
                "{}",
                "{b: 1}",
                "{b: '1'}",
                "{$date: '1970-01-01T00:00:00Z'}",
                "{$oid: '507f1f77bcf86cd799439011'}",
                "{$binary: {base64: 'AA==', subType: '00'}}",
                "{$binary: {base64: 'AA==', subType: '80'}}");
        Set<Long> all = new TreeSet<>();
        values.forEach(value -> all.addAll(of(value)));
        assertThat(all).hasSize(values.size());
        Set<Integer> slots = new TreeSet<>();
        for (int i = 0; i < 1_000; i++) {
            of(String.valueOf(i)).forEach(key -> slots.add(JoinKeys.slot(key, 7)));
        }
        assertThat(slots).containsExactly(0, 1, 2, 3, 4, 5, 6);
    }

    @Test
    void pathsThatMayNameAnIndexAreRefused() {
        assertThat(JoinKeys.path("a.b")).isPresent();
        for (String path : List.of("", "a.", ".a", "a.0", "0", "$a", "a.$b")) {
            assertThat(JoinKeys.path(path)).as(path).isEmpty();
        }
        String[] path = {"a", "b"};
        assertThat(JoinKeys.hasPattern(
                        BsonDocument.parse("{a: [{b: 1}, {b: {$regularExpression: {pattern: 'x', options: ''}}}]}"),
                        path))
                .isTrue();
        assertThat(JoinKeys.hasPattern(BsonDocument.parse("{a: [{b: 1}, 2]}"), path))
                .isFalse();
    }
}
