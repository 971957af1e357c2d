package io.uniserve.port.mongodb;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.bson.BsonDocument;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Documents that an index of two fields cannot have, because MongoDB indexes each element of one array only. */
class SecondaryIndexesTest {
    private final SecondaryIndexes indexes =
            new SecondaryIndexes(List.of(BsonDocument.parse("{'d.a.b': 1, 'd.c': 1, 'd.a.e': -1}")));

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{_id: 1}",
                "{_id: 1, a: {b: 1}, c: 2}",
                "{_id: 1, a: {b: [1, 2]}, c: 2}",
                "{_id: 1, a: [{b: 1, e: 2}, {b: 3}], c: 2}",
                "{_id: 1, a: [{b: [1], e: 2}], c: 2}",
                "{_id: 1, a: 1, c: [1]}"
            })
    void permitsArraysInOneField(String document) {
        assertThatCode(() -> indexes.check(BsonDocument.parse(document))).doesNotThrowAnyException();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{_id: 1, a: {b: [1]}, c: [2]}",
                "{_id: 1, a: [{b: 1}], c: []}",
                "{_id: 1, a: {b: [1], e: [2]}}",
                "{_id: 1, a: [{b: [1], e: [2]}]}"
            })
    void refusesArraysInTwo(String document) {
        assertThatThrownBy(() -> indexes.check(BsonDocument.parse(document)))
                .hasMessageContaining("CannotIndexParallelArrays 171");
    }
}
