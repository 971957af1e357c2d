package io.uniserve.testkit.seed;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Gives the test methods below it one seed each, for parameters marked with {@link Seed}.
 *
 * <p>The seed is the same in every run: it comes from the test's name. {@code -Duniserve.seed=N} sets another. A failure carries the
 * seed and the command that replays it.
 */
@Documented
@Inherited
@Target({ElementType.TYPE, ElementType.METHOD})
@Retention(RetentionPolicy.RUNTIME)
@ExtendWith(SeedExtension.class)
public @interface Seeded {}
