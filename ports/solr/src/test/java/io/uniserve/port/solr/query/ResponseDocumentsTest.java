package io.uniserve.port.solr.query;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Documents found by id are in the order of the requested ids. */
class ResponseDocumentsTest {
    @Test
    void eachStandsWhereItWasAskedFor() {
        List<String> found = new ArrayList<>(List.of("b2", "a1", "a1", "c3"));
        ResponseDocuments.inOrder(found, one -> one.substring(0, 1), List.of("c", "none", "a", "b", "a"));
        assertThat(found).containsExactly("c3", "a1", "b2", "a1");
    }

    @Test
    void withoutItsIdNothingHasAPlace() {
        assertThatThrownBy(() -> ResponseDocuments.inOrder(new ArrayList<>(List.of("a")), one -> null, List.of("a")))
                .isInstanceOfSatisfying(
                        UniserveException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.UNSUPPORTED))
                .hasMessageContaining("ask for that field too");
    }
}
