package io.uniserve.port.duckdb;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.uniserve.error.UniserveException;
import org.junit.jupiter.api.Test;

class DuckMergingTest {
    @Test
    void aLimitThatIsNoSizeIsRefusedAtOnce() {
        assertThatThrownBy(() -> new DuckMerging().limit("much"))
                .isInstanceOf(UniserveException.class)
                .hasMessageContaining("much");
        new DuckMerging().limit("100MB");
    }
}
