package io.uniserve.testkit.seed;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks the parameter of a seeded test that receives the seed: a {@code long}, or a {@link java.util.Random} made from it.
 *
 * @see Seeded
 * @see SeededTest
 */
@Documented
@Target(ElementType.PARAMETER)
@Retention(RetentionPolicy.RUNTIME)
public @interface Seed {}
