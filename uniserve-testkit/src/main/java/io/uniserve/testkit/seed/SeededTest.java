package io.uniserve.testkit.seed;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.TestTemplate;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Test that runs once per seed, which it gets in parameters marked with {@link Seed}.
 *
 * <p>The seeds are the same in every run. {@code -Duniserve.seed=N} runs seed N alone. A failure contains the seed and the command that
 * replays it.
 */
@Documented
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
@TestTemplate
@ExtendWith(SeedRunProvider.class)
public @interface SeededTest {
    /** Number of seeds to run, at least 1. */
    int seeds() default 10;
}
