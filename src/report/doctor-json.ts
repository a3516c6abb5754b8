import type { Diagnosis, Surroundings } from '../doctor/diagnose.ts';

/** All that `ctxb doctor` has found out. */
export function doctorJson(claude: string, around: Surroundings, diagnosis: Diagnosis): object {
  const { version, fresh, remarks, outcomes } = diagnosis;
  return {
    claude: { path: claude, version: version ?? null },
    context: fresh ?? null,
    surroundings: around.remarks,
    remarks,
    facts: outcomes.map(({ check, status, seen }) => ({
      name: check.name,
      section: check.section,
      fact: check.fact,
      status,
      vital: check.vital === true,
      ...(status === 'holds' ? {} : { seen, instead: check.instead }),
    })),
  };
}
