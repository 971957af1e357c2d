package io.uniserve.port.mongodb.server;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.bson.BsonDocument;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class EmbeddedPatternValidatorTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "(a+)+$",
                "^(a|a)*$",
                "(a|b?)+c",
                "((a*)b)*c",
                "(?:x{1,9})+",
                "(x+x+)+y",
                "(a*)*",
                "([a-z]+)*@",
                "([]a]+)+",
                "((a+))+",
                "(a+){20}",
                "(.)\\1",
                "(?<n>a)\\k<n>",
                "(?x)(a+) +",
                "(?=(a+)+b)",
                "(\\Q)\\Ea+)+",
                "a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?aaaaaaaaaaaaaaaaa"
            })
    void refusesWhatMayBacktrackForEver(String pattern) {
        assertThatThrownBy(() -> EmbeddedPatternValidator.check(pattern, "")).hasMessageContaining("might not end");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "^a.*b$",
                "(ab)+",
                "(a|b)c",
                "[(a+)+]*",
                "[^]+*)]+",
                "\\(a+\\)+",
                "\\Q(a+)+\\E",
                "(a+)?",
                "日本|é",
                "[a-z&&[^b]]+",
                "",
                "(",
                "\\"
            })
    void permitsOthers(String pattern) {
        assertThatCode(() -> EmbeddedPatternValidator.check(pattern, "i")).doesNotThrowAnyException();
    }

    @Test
    void findsPatternsAtAnyDepth() {
        for (String filter : List.of(
                "{a: {$not: {$regex: '(a+)+$'}}}",
                "{$or: [{a: {$in: [{$regularExpression: {pattern: '(a+)+', options: ''}}]}}]}",
                "{a: {$regex: 'a', $options: 'x'}}")) {
            assertThatThrownBy(() -> EmbeddedPatternValidator.check(BsonDocument.parse(filter)))
                    .as(filter)
                    .hasMessageContaining("might not end");
        }
    }
}
